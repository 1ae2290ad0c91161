"""All URLs: the simulator's pages, the admin and the language switch."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("simulator.web.urls")),
]

handler500 = "simulator.web.views.guards.server_error"
