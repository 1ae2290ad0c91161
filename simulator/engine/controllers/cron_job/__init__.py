"""The CronJob controller: a Job whenever the schedule says so."""
