"""The CronJob controller: creates a Job whenever the schedule says so."""
