import type { DashboardModel } from '../model.ts';

/** What is wrong, and where. */
export interface Finding {
  readonly where: string;
  readonly message: string;
}

/** Looks at a dashboard. Named after the rule of grafana/dashboard-linter that it does the work of. */
export type Rule = (dashboard: DashboardModel) => readonly Finding[];
