"""The pages. Names are those of the view functions, with a dash for an underscore.

Shared links (``/s/``) never change and are never deleted, so neither may their addresses.
"""

from django.urls import path

from simulator.web.base import rules
from simulator.web.classes import class_results, classrooms, members, wall
from simulator.web.compare import compare, lens
from simulator.web.gallery import imports, scenarios
from simulator.web.levels import level_attempts, level_pages
from simulator.web.pages import fidelity, health, landing, reasons
from simulator.web.pictures import cards
from simulator.web.run import acts, manifests, outlook, predict, printed, runs, tracks
from simulator.web.shares import embeds, portable, shares
from simulator.web.sweeps import sweeps

app_name = "sim"

urlpatterns = [
    path("", landing.landing, name="landing"),
    path("healthz", health.healthz, name="healthz"),
    path("scenarios/", scenarios.scenario_list, name="scenarios"),
    path("scenarios/<slug:slug>/", scenarios.scenario_detail, name="scenario"),
    path("scenarios/<slug:slug>/card.png", cards.scenario_card, name="scenario-card"),
    path("scenarios/<slug:slug>/hint/<slug:step>/", scenarios.scenario_hint, name="scenario-hint"),
    path("scenarios/<slug:slug>/debrief/", scenarios.scenario_debrief, name="scenario-debrief"),
    path("scenarios/<slug:slug>/run/", scenarios.scenario_run, name="scenario-run"),
    path("fidelity/", fidelity.fidelity, name="fidelity"),
    path("reasons/", reasons.reasons, name="reasons"),
    path("rules/<str:language>/<slug:digest>.json", rules.rule_texts, name="rule-texts"),
    path("scenarios/<slug:slug>/lens/", lens.scenario_lens, name="scenario-lens"),
    path("scenarios/<slug:slug>/lens/play/", lens.scenario_lens_play, name="scenario-lens-play"),
    path("scenarios/<slug:slug>/sweep/", sweeps.scenario_sweep, name="scenario-sweep"),
    path("sweeps/", sweeps.sweep_new, name="sweeps"),
    path("sweeps/<slug:sweep_id>/", sweeps.sweep_detail, name="sweep"),
    path("sweeps/<slug:sweep_id>/control/", sweeps.sweep_control, name="sweep-control"),
    path("sweeps/<slug:sweep_id>/cell/", sweeps.sweep_cell, name="sweep-cell"),
    path("levels/", level_pages.level_list, name="levels"),
    path("levels/exam/", level_pages.level_exam, name="level-exam"),
    path("levels/<slug:slug>/", level_pages.level_detail, name="level"),
    path("levels/<slug:slug>/run/", level_pages.level_run, name="level-run"),
    path("l/<slug:level_id>/", level_pages.own_level_detail, name="own-level"),
    path("l/<slug:level_id>/run/", level_pages.own_level_run, name="own-level-run"),
    path("r/<uuid:run_id>/level/check/", level_attempts.level_check, name="level-check"),
    path("r/<uuid:run_id>/level/hint/", level_attempts.level_hint, name="level-hint"),
    path("r/<uuid:run_id>/level/again/", level_attempts.level_again, name="level-again"),
    path("r/<uuid:run_id>/level/solution/", level_attempts.level_solution, name="level-solution"),
    path("r/<uuid:run_id>/level/ask/<slug:ask_id>/", level_attempts.level_ask, name="level-ask"),
    path("new/", scenarios.new_run, name="new"),
    path("x/", portable.open_scenario, name="open"),
    path("new/import/", imports.import_run, name="import"),
    path("manifests/check/", manifests.manifest_check, name="manifest-check"),
    path("manifests/schema/<str:minor>/", manifests.manifest_index, name="manifest-index"),
    path("manifests/schema/<str:minor>/<slug:kind>/", manifests.manifest_schema, name="manifest-schema"),
    path("s/<slug:share_id>/", shares.share_detail, name="share"),
    path("s/<slug:share_id>/card.png", cards.share_card, name="share-card"),
    path("s/<slug:share_id>/qr.svg", portable.share_qr, name="share-qr"),
    path("s/<slug:share_id>/file/", portable.share_file, name="share-file"),
    path("s/<slug:share_id>/ways/", portable.share_ways, name="share-ways"),
    path("s/<slug:share_id>/run/", shares.share_run, name="share-run"),
    path("class/", classrooms.class_list, name="classes"),
    path("class/<slug:code>/", classrooms.class_detail, name="class"),
    path("class/<slug:code>/qr.svg", classrooms.class_qr, name="class-qr"),
    path("class/<slug:code>/end/", classrooms.class_end, name="class-end"),
    path("class/<slug:code>/me/", members.class_me, name="class-me"),
    path("class/<slug:code>/mine/", members.class_mine, name="class-mine"),
    path("class/<slug:code>/vote/", members.class_vote, name="class-vote"),
    path("class/<slug:code>/wall/", wall.class_wall, name="class-wall"),
    path("class/<slug:code>/wall/start/", wall.class_wall_start, name="class-start"),
    path("class/<slug:code>/wall/back/", wall.class_wall_back, name="class-back"),
    path("class/<slug:code>/wall/ask/", wall.class_wall_ask, name="class-ask"),
    path("class/<slug:code>/wall/show/<int:member_id>/", wall.class_wall_show, name="class-show"),
    path("class/<slug:code>/results.csv", class_results.results_csv, name="class-results-csv"),
    path("class/<slug:code>/results.json", class_results.results_json, name="class-results-json"),
    path("embed/<slug:share_id>/", embeds.embed, name="embed"),
    path("oembed", embeds.oembed, name="oembed"),
    path("r/<uuid:run_id>/", runs.run_detail, name="run"),
    path("r/<uuid:run_id>/card.png", cards.run_card_png, name="run-card"),
    path("r/<uuid:run_id>/file/", portable.run_file, name="run-file"),
    path("r/<uuid:run_id>/lens/", lens.run_lens, name="run-lens"),
    path("r/<uuid:run_id>/lens/play/", lens.run_lens_play, name="run-lens-play"),
    path("r/<uuid:run_id>/sweep/", sweeps.run_sweep, name="run-sweep"),
    path("r/<uuid:run_id>/compare/", compare.run_compare_with, name="run-compare-with"),
    path("r/<uuid:run_id>/compare/<uuid:other_id>/", compare.run_compare, name="run-compare"),
    path("r/<uuid:run_id>/compare/<uuid:other_id>/diff/", compare.run_compare_diff, name="run-compare-diff"),
    path("r/<uuid:run_id>/move/", compare.run_move, name="run-move"),
    path("r/<uuid:run_id>/take-along/", acts.run_take_along, name="run-take-along"),
    path("r/<uuid:run_id>/records/", runs.run_records, name="run-records"),
    path("r/<uuid:run_id>/at/<int:seq>/panel/<slug:tab>/", runs.run_panel, name="run-panel"),
    path("r/<uuid:run_id>/track/<slug:tab>/", tracks.run_track, name="run-track"),
    path("r/<uuid:run_id>/printed/", printed.run_printed, name="run-printed"),
    path("r/<uuid:run_id>/at/<int:seq>/object/<slug:kind>/<str:namespace>/<str:name>/", manifests.run_object, name="run-object"),
    path("r/<uuid:run_id>/at/<int:seq>/pods/", manifests.run_pods, name="run-pods"),
    path("r/<uuid:run_id>/preview/", manifests.run_preview, name="run-preview"),
    path("r/<uuid:run_id>/outlook/", outlook.run_outlook, name="run-outlook"),
    path("r/<uuid:run_id>/predict/", predict.run_predict, name="run-predict"),
    path("r/<uuid:run_id>/commands/", acts.command_create, name="run-commands"),
    path("r/<uuid:run_id>/kubectl/", acts.kubectl_line, name="run-kubectl"),
    path("r/<uuid:run_id>/control/", acts.run_control, name="run-control"),
    path("r/<uuid:run_id>/branch/", acts.run_branch, name="run-branch"),
    path("r/<uuid:run_id>/share/", acts.run_share, name="run-share"),
]
