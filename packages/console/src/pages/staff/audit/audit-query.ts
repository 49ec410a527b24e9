import type { AuditLine, Operations } from '../../../api/gateway-api.ts'

/** What somebody looks for in the audit log; empty: whatever it is. */
export interface AuditQuery {
  readonly text: string
  readonly action: string
  readonly outcome: AuditLine['outcome'] | ''
  readonly account: string
}

/** Everything. */
export const ALL: AuditQuery = { text: '', action: '', outcome: '', account: '' }

const PAGE = 50

/** The same as the API is asked. `account` is always said: this page is about everybody, whoever is looked at elsewhere. */
export const questionOf = ({ text, action, outcome, account }: AuditQuery): Operations['listAudit']['query'] => ({
  limit: PAGE,
  account,
  ...(action !== '' && { action }),
  ...(outcome !== '' && { outcome }),
  ...(text !== '' && { q: text }),
})
