import type { Check, DoctorReport } from '../../api/gateway-api.ts'

/** How a group of checks went, the worst first. */
export type Verdict = 'fail' | 'warn' | 'pass'

/** How many checks ended in which way. */
export interface Tally {
  readonly fail: number
  readonly warn: number
  readonly pass: number
}

/** Counts checks; a result that is not known yet counts as something to look at. */
export function tallyOf(checks: readonly Check[]): Tally {
  const fail = checks.filter(({ status }) => status === 'fail').length
  const pass = checks.filter(({ status }) => status === 'pass').length
  return { fail, pass, warn: checks.length - fail - pass }
}

/** The worst of them. */
export function verdictOf({ fail, warn }: Tally): Verdict {
  if (fail > 0) return 'fail'
  return warn > 0 ? 'warn' : 'pass'
}

/** The report with other checks of one platform; a platform that it does not have is left out. */
export function withChecks(report: DoctorReport, platform: string, checks: readonly Check[]): DoctorReport {
  const sections = report.sections.map((section) => (section.platform === platform ? { ...section, checks } : section))
  return { ok: !sections.some((section) => section.checks.some(({ status }) => status === 'fail')), sections }
}
