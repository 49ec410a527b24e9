import type { Check, DoctorReport } from '../../api/gateway-api.ts'

/** The verdict on a group of checks, the worst first. */
export type Verdict = 'fail' | 'warn' | 'pass'

/** Number of checks by status. */
export interface Tally {
  readonly fail: number
  readonly warn: number
  readonly pass: number
}

/** Counts checks by status. An unknown status counts as a warning. */
export function countStatuses(checks: readonly Check[]): Tally {
  const fail = checks.filter(({ status }) => status === 'fail').length
  const pass = checks.filter(({ status }) => status === 'pass').length
  return { fail, pass, warn: checks.length - fail - pass }
}

/** Returns the worst status. */
export function toVerdict({ fail, warn }: Tally): Verdict {
  if (fail > 0) return 'fail'
  return warn > 0 ? 'warn' : 'pass'
}

/** Returns the report with the checks of one platform replaced. */
export function withChecks(report: DoctorReport, platform: string, checks: readonly Check[]): DoctorReport {
  const sections = report.sections.map((section) => (section.platform === platform ? { ...section, checks } : section))
  return { ok: !sections.some((section) => section.checks.some(({ status }) => status === 'fail')), sections }
}
