import { type ReactNode, useState } from 'react'
import { AuditFilters } from './audit/audit-filters.tsx'
import { NO_FILTERS, type AuditQuery, toAuditQuery } from './audit/audit-query.ts'
import { AuditTable } from './audit/audit-table.tsx'
import { auditTexts } from './audit/texts.ts'
import { ListCard } from './list-card.tsx'
import { StaffPage } from './staff-page.tsx'
import { useList } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListBody } from '../../parts/table.tsx'

/** The page of the audit log. */
export const Page = (): ReactNode => (
  <StaffPage tab="audit">
    <AuditLog />
  </StaffPage>
)

function AuditLog(): ReactNode {
  const texts = useTexts(auditTexts)
  const [query, setQuery] = useState<AuditQuery>(NO_FILTERS)
  const list = useList('listAudit', { query: toAuditQuery(query) }, { keep: true })
  const accounts = useList('listAccounts', { query: { limit: 100 } }).items
  const empty =
    query === NO_FILTERS ? (
      <Empty icon="logs" title={texts.empty} />
    ) : (
      <Empty
        icon="search"
        title={texts.emptyFound}
        actions={<Button onClick={() => setQuery(NO_FILTERS)}>{texts.clear}</Button>}
      >
        {texts.emptyFoundHint}
      </Empty>
    )
  return (
    <ListCard title={texts.title} lead={texts.lead}>
      <AuditFilters query={query} accounts={accounts} onChange={setQuery} />
      <ListBody list={list} empty={empty}>
        {(lines) => <AuditTable lines={lines} accounts={accounts} />}
      </ListBody>
    </ListCard>
  )
}
