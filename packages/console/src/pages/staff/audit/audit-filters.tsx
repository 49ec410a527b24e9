import { type ReactNode, type SubmitEvent, useState } from 'react'
import { accountName } from '../people/person.ts'
import style from '../staff.module.css'
import { staffTexts } from '../texts.ts'
import { actionTexts } from './action-texts.ts'
import type { AuditQuery } from './audit-query.ts'
import { auditTexts } from './texts.ts'
import type { Account } from '../../../api/gateway-api.ts'
import { LANGUAGE_TAGS, useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Select, TextField } from '../../../parts/field.tsx'

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
