import type { AuditLine, Operations } from '../../../api/gateway-api.ts'

/** The filters of the audit log; empty for any. */
export interface AuditQuery {
  readonly text: string
  readonly action: string
  readonly outcome: AuditLine['outcome'] | ''
  readonly account: string
}

/** No filters. */
export const NO_FILTERS: AuditQuery = { text: '', action: '', outcome: '', account: '' }

const PAGE = 50

/** Returns the query for the API. `account` is always set, so that the log covers all accounts while viewing one. */
export const toAuditQuery = ({ text, action, outcome, account }: AuditQuery): Operations['listAudit']['query'] => ({
  limit: PAGE,
  account,
  ...(action !== '' && { action }),
  ...(outcome !== '' && { outcome }),
  ...(text !== '' && { q: text }),
})
