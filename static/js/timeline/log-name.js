// @ts-check
/** What stands for all containers among what is open. */
export const LOGS = "logs";
