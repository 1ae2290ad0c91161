"""The pages. Names are those of the view functions, with a dash for an underscore."""

from django.urls import path

from simulator.web.views import acts, fidelity, health, imports, lens, manifests, pages, runs, scenarios, shares, sweeps

app_name = "sim"

urlpatterns = [
    path("", pages.landing, name="landing"),
    path("healthz", health.healthz, name="healthz"),
    path("scenarios/", scenarios.scenario_list, name="scenarios"),
    path("scenarios/<slug:slug>/", scenarios.scenario_detail, name="scenario"),
    path("scenarios/<slug:slug>/run/", scenarios.scenario_run, name="scenario-run"),
    path("fidelity/", fidelity.fidelity, name="fidelity"),
    path("scenarios/<slug:slug>/lens/", lens.scenario_lens, name="scenario-lens"),
    path("scenarios/<slug:slug>/sweep/", sweeps.scenario_sweep, name="scenario-sweep"),
    path("sweeps/", sweeps.sweep_new, name="sweeps"),
    path("sweeps/<slug:sweep_id>/", sweeps.sweep_detail, name="sweep"),
    path("sweeps/<slug:sweep_id>/control/", sweeps.sweep_control, name="sweep-control"),
    path("sweeps/<slug:sweep_id>/cell/", sweeps.sweep_cell, name="sweep-cell"),
    path("new/", scenarios.new_run, name="new"),
    path("new/import/", imports.import_run, name="import"),
    path("manifests/check/", manifests.manifest_check, name="manifest-check"),
    path("manifests/schema/<str:minor>/", manifests.manifest_index, name="manifest-index"),
    path("manifests/schema/<str:minor>/<slug:kind>/", manifests.manifest_schema, name="manifest-schema"),
    path("s/<slug:share_id>/", shares.share_detail, name="share"),
    path("s/<slug:share_id>/run/", shares.share_run, name="share-run"),
    path("r/<uuid:run_id>/", runs.run_detail, name="run"),
    path("r/<uuid:run_id>/lens/", lens.run_lens, name="run-lens"),
    path("r/<uuid:run_id>/sweep/", sweeps.run_sweep, name="run-sweep"),
    path("r/<uuid:run_id>/records/", runs.run_records, name="run-records"),
    path("r/<uuid:run_id>/at/<int:seq>/panel/<slug:tab>/", runs.run_panel, name="run-panel"),
    path("r/<uuid:run_id>/at/<int:seq>/object/<slug:kind>/<str:namespace>/<str:name>/", manifests.run_object, name="run-object"),
    path("r/<uuid:run_id>/at/<int:seq>/pods/", manifests.run_pods, name="run-pods"),
    path("r/<uuid:run_id>/preview/", manifests.run_preview, name="run-preview"),
    path("r/<uuid:run_id>/commands/", acts.command_create, name="run-commands"),
    path("r/<uuid:run_id>/kubectl/", acts.kubectl_line, name="run-kubectl"),
    path("r/<uuid:run_id>/control/", acts.run_control, name="run-control"),
    path("r/<uuid:run_id>/branch/", acts.run_branch, name="run-branch"),
    path("r/<uuid:run_id>/share/", acts.run_share, name="run-share"),
]
