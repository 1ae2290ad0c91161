"""The root URLconf: the simulator's pages, the admin and the language switch."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("simulator.web.urls")),
]

handler400 = "simulator.web.pages.failures.bad_request"
handler403 = "simulator.web.pages.failures.permission_denied"
handler404 = "simulator.web.pages.failures.page_not_found"
handler500 = "simulator.web.pages.failures.server_error"
