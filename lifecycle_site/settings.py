"""Settings of Podscope. Everything that differs between machines is read from PODSCOPE_* variables (see docs/deployment.md)."""

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured, SuspiciousOperation
from django.utils.translation import gettext_lazy as _

from lifecycle_site.broker import redis_host
from lifecycle_site.data_dir import open_data_dir, open_sqlite
from lifecycle_site.env import SQLITE, env_bool, env_choice, env_database, env_int, env_list, env_secret, env_text
from lifecycle_site.logs import broker_away, not_unavailable, without_traceback
from lifecycle_site.memory import half_of_memory_mib

BASE_DIR = Path(__file__).resolve().parent.parent
IS_DATA_DIR_CHOSEN = bool(env_text("DATA_DIR"))
DATA_DIR = open_data_dir(Path(env_text("DATA_DIR", str(BASE_DIR / "var"))), is_chosen=IS_DATA_DIR_CHOSEN)

# --- environment
DEBUG = env_bool("DEBUG", default=False)
SECRET_KEY = env_secret("SECRET_KEY", path=DATA_DIR / "secret_key", is_shared=bool(env_text("DATABASE_URL")))
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", default=("127.0.0.1", "localhost", "[::1]"))
CSRF_TRUSTED_ORIGINS = env_list("ORIGINS")
K8S_HOST = env_text("K8S_HOST")
"""The parent domain under which each run's API has its own host name; empty for none."""

MEMORY_MB = env_int("MEMORY_MB", default=half_of_memory_mib())

# --- apps
INSTALLED_APPS = [
    "lifecycle_site.daphne_app.DaphneConfig",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "simulator",
]
ROOT_URLCONF = "lifecycle_site.urls"
ASGI_APPLICATION = "lifecycle_site.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- middleware (all of it is synchronous, so a request changes threads only once)
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "lifecycle_site.middleware.SecurityHeadersMiddleware",  # before WhiteNoise, which answers for static files
    "whitenoise.middleware.WhiteNoiseMiddleware",  # sends static files as collectstatic has compressed them
    "lifecycle_site.compression.CompressionMiddleware",
    "lifecycle_site.throttle.ThrottleMiddleware",
    "simulator.runs.permissions.OwnerMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "lifecycle_site.link_language.LinkLanguageMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "simulator.web.base.guards.BodyLimitMiddleware",
    "simulator.web.base.guards.SlotMiddleware",
    "simulator.web.base.guards.FormMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "simulator.web.base.common.UnplayableMiddleware",  # exceptions are offered to the last middleware first
    "simulator.web.base.common.UnreadableMiddleware",
    "simulator.web.base.common.ExhaustedMiddleware",
    "simulator.web.base.guards.AwayMiddleware",
]
FORM_RENDERER = "lifecycle_site.widgets.PlainWidgets"
TEMPLATES = [
    {
        "BACKEND": "lifecycle_site.templating.FreeingTemplates",
        "NAME": "django",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- database
DATABASES = {"default": env_database("DATABASE_URL", sqlite=DATA_DIR / "podscope.sqlite3")}
if DATABASES["default"]["ENGINE"] == SQLITE:
    open_sqlite(DATA_DIR / "podscope.sqlite3", is_chosen=IS_DATA_DIR_CHOSEN)
# A file, not memory: an in-memory test database would be locked for readers in other threads.
DATABASES["default"]["TEST"] = (
    {"NAME": Path(tempfile.gettempdir()) / f"podscope-test-{os.getpid()}.sqlite3"} if DATABASES["default"]["ENGINE"] == SQLITE else {}
)

# --- channels
REDIS_URL = env_text("REDIS_URL")
CHANNEL_LAYERS = {
    "default": (
        {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [redis_host(REDIS_URL)]}}
        if REDIS_URL
        else {"BACKEND": "simulator.runs.wire.switch.SwitchLayer"}
    )
}

# --- languages and time
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese")), ("zh-hant", _("Traditional Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- static files
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = ["simulator.web.bundles.PageFinder", "django.contrib.staticfiles.finders.AppDirectoriesFinder"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "lifecycle_site.staticfiles.ModuleStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_MAX_AGE = 60

# --- security
HTTPS = env_bool("HTTPS", default=False)
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 90 * 24 * 3600
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "simulator.web.pages.failures.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
BEHIND_PROXY = env_bool("BEHIND_PROXY", default=False)
PROXIES = env_int("PROXIES", default=1, minimum=1) if BEHIND_PROXY else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 16_777_216  # as in lifecycle_site.server: more than forms accept, so they show their own messages
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 4
FILE_UPLOAD_MAX_MEMORY_SIZE = 1_048_576
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# --- simulator
SIM_RUN_MS_MAX = env_int("RUN_HOURS_MAX", default=24, minimum=1) * 3_600_000
SIM_RUN_RECORDS_MAX = env_int("RUN_RECORDS_MAX", default=200_000, minimum=1000)
SIM_RUN_PODS_MAX = env_int("RUN_PODS_MAX", default=2000, minimum=1)
SIM_RATE_PERMILLE_MAX = 600_000
SIM_RATE_PERMILLE_MIN = 250
SIM_WORKERS = env_int("WORKERS", default=max(1, min(16, os.cpu_count() or 1)), minimum=1)
SIM_PAGE_S_MAX = env_int("PAGE_S_MAX", default=30, minimum=1)
SIM_RUNS_PER_PROCESS = env_int("RUNS_PER_PROCESS", default=50, minimum=1)
SIM_RUNS_PER_OWNER_MAX = env_int("RUNS_PER_OWNER_MAX", default=10)
SIM_RUNS_PER_ADDRESS_MAX = env_int("RUNS_PER_ADDRESS_MAX", default=40)
SIM_UNWATCHED_RELEASE_S = env_int("UNWATCHED_RELEASE_S", default=60, minimum=1)
SIM_TAKE_OVERS_MAX = env_int("TAKE_OVERS_MAX", default=3, minimum=1)
SIM_LEASE_MS = env_int("LEASE_MS", default=10_000, minimum=1000)
SIM_RUNNER_SILENT_S = env_int("RUNNER_SILENT_S", default=15, minimum=1)
SIM_COMMANDS_PER_RUN_MAX = env_int("COMMANDS_PER_RUN_MAX", default=2000, minimum=10)
SIM_COMMAND_BYTES_PER_RUN_MAX = env_int("COMMAND_BYTES_PER_RUN_MAX", default=4_194_304, minimum=4096)
SIM_JOBS = env_choice("JOBS", ("embedded", "celery"))
if SIM_JOBS == "celery" and not REDIS_URL:
    raise ImproperlyConfigured("PODSCOPE_JOBS=celery needs PODSCOPE_REDIS_URL")
if SIM_JOBS == "celery" and find_spec("celery") is None:
    raise ImproperlyConfigured("PODSCOPE_JOBS=celery needs requirements-production.txt to be installed")
SIM_SWEEP_WORKERS = env_int("SWEEP_WORKERS", default=max(1, min(8, (os.cpu_count() or 1) - 1)), minimum=1)
SIM_SWEEP_CELLS_MAX = env_int("SWEEP_CELLS_MAX", default=1000, minimum=1)
SIM_SWEEP_CELL_S_MAX = env_int("SWEEP_CELL_S_MAX", default=20, minimum=1)
SIM_SWEEP_CELL_MB_MAX = env_int("SWEEP_CELL_MB_MAX", default=512, minimum=64)
SIM_SWEEP_S_MAX = env_int("SWEEP_S_MAX", default=900, minimum=1)
SIM_SWEEPS_PER_OWNER_MAX = env_int("SWEEPS_PER_OWNER_MAX", default=2, minimum=1)
SIM_SWEEPS_PER_ADDRESS_MAX = env_int("SWEEPS_PER_ADDRESS_MAX", default=8, minimum=1)
SIM_SWEEPS_OPEN_MAX = env_int("SWEEPS_OPEN_MAX", default=50, minimum=1)
SIM_KEEP_DAYS = env_int("KEEP_DAYS", default=30)
SIM_POSTS_PER_SECOND_MAX = env_int("POSTS_PER_SECOND_MAX", default=20)
SIM_CODE_MISSES_MAX = env_int("CODE_MISSES_MAX", default=60)
SIM_PROGRESS = env_bool("PROGRESS", default=False)
SIM_PROGRESS_TRIES_MAX = env_int("PROGRESS_TRIES_MAX", default=60)
SIM_LTI_CONFIG = env_text("LTI_CONFIG")
SIM_SOCKETS_PER_ADDRESS_MAX = env_int("SOCKETS_PER_ADDRESS_MAX", default=200, minimum=1)

# --- logging
_suspicious: list[type[Exception]] = [SuspiciousOperation, *SuspiciousOperation.__subclasses__()]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"()": "lifecycle_site.logs.BoundedFormatter", "fmt": "{asctime} {levelname} {name}: {message}", "style": "{"},
    },
    "filters": {
        "brief": {"()": "django.utils.log.CallbackFilter", "callback": without_traceback},
        "redis": {"()": "django.utils.log.CallbackFilter", "callback": broker_away},
        "available": {"()": "django.utils.log.CallbackFilter", "callback": not_unavailable},
    },
    "handlers": {"console": {"class": "lifecycle_site.logs.BudgetHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "simulator": {"level": env_text("LOG_LEVEL", "INFO")},
        "django.server": {"level": "WARNING"},
        "django.request": {
            "level": "ERROR",
            "filters": ["available"],
        },  # missing pages and refused forms are part of everyday life
        # Django logs suspicious requests under the name of the exception.
        **{f"django.security.{kind.__name__}": {"filters": ["brief"]} for kind in _suspicious},
        "daphne.http_protocol": {"level": "WARNING"},
        "channels_redis.pubsub": {"filters": ["redis"]},
    },
}
