/**
 * @file A question that is kept open: its statements are landed once, and then it is priced under one
 * condition after the other, and looked at and decided version by version.
 */
import { askedOfFolders, loopsByValueOfFolders } from "../../catalog/index.ts";
import type { Plan, PlannedRun } from "../../format/index.ts";
import type { Propagated } from "../../replayer/index.ts";
import { buildPlan, groupLandings, LandedQuestion } from "../../replayer/index.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import { projectSettings } from "../settings.ts";
import { withForeignNotes } from "./foreign-notes.ts";
import type { LandingDecision, LandingGroupReport, LandingsReport } from "./landings.ts";
import { decideIn, groupReport } from "./landings.ts";
import type { IndexAnswers, PlanRequest } from "./plan.ts";
import { moneyOf, workersOf } from "./plan.ts";

/** What is asked, and what of it may change from one price to the next. */
export type AskedStatements = Omit<PlanRequest, keyof PricedHow>;
export type PricedHow = Pick<
  PlanRequest,
  "where" | "jobs" | "gpus" | "canary" | "control" | "fromStart" | "install"
>;

/** A group of versions in which a name lands alike. */
export interface AskedGroup extends LandingGroupReport {
  readonly name: string;
  /** Under which it is decided about, `NAME@COMMIT`; null: nothing of it was kept that could land. */
  readonly group: string | null;
}

/** A question under a condition, with all that there is to look at. */
export interface PricedQuestion {
  /** As `plan --json` prints it, but for the texts of files. */
  readonly plan: Plan;
  readonly groups: readonly AskedGroup[];
}

export class OpenQuestion {
  readonly #ports: QuestionPorts;
  readonly #index: IndexAnswers;
  readonly #landed: LandedQuestion;
  #grouped: { readonly landed: Propagated; readonly groups: readonly AskedGroup[] } | undefined;

  private constructor(ports: QuestionPorts, index: IndexAnswers, landed: LandedQuestion) {
    this.#ports = ports;
    this.#index = index;
    this.#landed = landed;
  }

  /** Throws AL001 if nothing is asked, AL021. */
  static async open(
    ports: QuestionPorts,
    request: AskedStatements,
    index: IndexAnswers,
  ): Promise<OpenQuestion> {
    const { names, lines = [], logpoints = [], as, onlyStatement = false, bring = [] } = request;
    const question = { names, lines, logpoints, as, onlyStatement, bring };
    const landed = await LandedQuestion.open(requireProject(ports), question);
    return new OpenQuestion(ports, index, landed);
  }

  /** Takes in what has changed on disk since it was opened. */
  async refresh(): Promise<void> {
    await this.#landed.refresh();
  }

  /** Throws AL020. */
  async plan(how: PricedHow): Promise<Plan> {
    const ports = this.#ports;
    const { project } = this.#landed;
    const { gpus } = how;
    const where = how.where ?? null;
    const settings = projectSettings(ports);
    const plan = await buildPlan(this.#landed, {
      where,
      workers: workersOf(ports, how),
      canary: how.canary ?? settings["replay.canary"].value,
      control: how.control ?? settings["replay.control"].value,
      fromStart: how.fromStart ?? false,
      install: how.install ?? false,
      // Whoever waits for a first value does not wait for the index, where the runs themselves tell.
      ask: async (own) =>
        askedOfFolders(project.store, { where, ...own }) ??
        (await this.#index.asked({ where, ...own })),
    });
    const planned = [...plan.runs, ...plan.review].map(({ run }) => run);
    const byValue =
      loopsByValueOfFolders(project.store, planned) ?? (await this.#index.loopsByValue());
    const named = (run: PlannedRun): PlannedRun => {
      const loops = byValue.get(run.run);
      return loops ? { ...run, by_value: [...loops] } : run;
    };
    const { value: price } = settings["replay.price_per_hour"];
    const money = price === null ? {} : { money: moneyOf(plan.seconds, price) };
    const shown = { ...plan, ...money, runs: plan.runs.map(named), review: plan.review.map(named) };
    const noted = withForeignNotes(ports, project, shown);
    return gpus === undefined ? noted : { ...noted, gpus };
  }

  /** Versions in which a name lands alike, of all names. */
  groups(): readonly AskedGroup[] {
    const { landed } = this.#landed;
    if (this.#grouped?.landed === landed) return this.#grouped.groups;
    const groups = groupsOf(landed);
    this.#grouped = { landed, groups };
    return groups;
  }

  /** Keeps what is decided about a group. Throws AL001, AL024. */
  async decide(group: string, decision: LandingDecision): Promise<LandingsReport> {
    const at = group.lastIndexOf("@");
    const about = { name: group.slice(0, at), commit: group.slice(at + 1) };
    return (await decideIn(this.#ports, this.#landed, about, decision)).report;
  }
}

function groupsOf(landed: Propagated): AskedGroup[] {
  return landed.names.flatMap((name) =>
    groupLandings(landed, name).map((found) => {
      const report = groupReport(found);
      const [newest] = report.versions;
      return { name, group: newest === undefined ? null : `${name}@${newest}`, ...report };
    }),
  );
}

/** The index is asked through `IndexAnswers`. */
type QuestionPorts = Pick<Ports, "cwd" | "env" | "now">;
