import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { Account, AuditLine, Operations } from '../../api/gateway-api.ts'
import { useList } from '../../api/queries.ts'
import { LANGUAGE_TAGS, useLanguage, useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { Select, TextField } from '../../parts/field.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListBody } from '../../parts/table.tsx'
import { actionTexts, auditTexts } from './audit-texts.ts'
import { AuditTable } from './audit-table.tsx'
import { accountName, ListCard, StaffPage, staffTexts } from './staff-page.tsx'
import style from './staff.module.css'

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

/** The filters: selections apply immediately, the search text on submit. */
export function AuditFilters({
  query,
  accounts,
  onChange,
}: {
  readonly query: AuditQuery
  readonly accounts: readonly Account[]
  onChange(query: AuditQuery): void
}): ReactNode {
  const texts = useTexts(auditTexts)
  const actions = useActions()
  const { outcomes } = texts
  return (
    <div className={style['filters']} role="search">
      <SearchField key={query.text} text={query.text} onSend={(text) => onChange({ ...query, text })} />
      <Select
        label={texts.action}
        value={query.action}
        options={[['', texts.anyAction], ...actions]}
        onChange={(action) => onChange({ ...query, action })}
      />
      <Select
        label={texts.outcome}
        value={query.outcome}
        options={[
          ['', texts.anyOutcome],
          ['ok', outcomes.ok],
          ['refused', outcomes.refused],
          ['failed', outcomes.failed],
        ]}
        onChange={(outcome) => onChange({ ...query, outcome })}
      />
      <Select
        label={texts.account}
        value={query.account}
        options={[['', texts.anyAccount], ...accounts.map((one) => [one.id, accountName(one)] as const)]}
        onChange={(account) => onChange({ ...query, account })}
      />
    </div>
  )
}

function SearchField({ text, onSend }: { readonly text: string; onSend(text: string): void }): ReactNode {
  const texts = useTexts(auditTexts)
  const { search } = useTexts(staffTexts)
  const [typed, setTyped] = useState(text)
  const send = (event: SubmitEvent): void => {
    event.preventDefault()
    onSend(typed.trim())
  }
  return (
    <form className={style['words']} onSubmit={send}>
      <TextField
        label={texts.words}
        placeholder={texts.wordsHint}
        type="search"
        maxLength={200}
        value={typed}
        onChange={setTyped}
      />
      <Button type="submit">{search}</Button>
    </form>
  )
}

/** Returns the actions with their descriptions, sorted in the page's language. */
function useActions(): readonly (readonly [action: string, words: string])[] {
  const words = useTexts(actionTexts)
  const tag = LANGUAGE_TAGS[useLanguage().language]
  return Object.entries(words)
    .filter(([action]) => action !== 'streamAssistant')
    .toSorted(([, one], [, other]) => one.localeCompare(other, tag))
}

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
