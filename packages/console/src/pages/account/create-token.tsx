import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useViewedAccount } from '../../api/viewed-account.ts'
import { useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { Checkbox, Select, TextField } from '../../parts/field.tsx'
import { Row } from '../../parts/layout.tsx'
import { type AccountAction, ActionForm, fieldError } from './account-action.tsx'
import { InputRejected } from './account-api.ts'
import style from './account.module.css'
import { useConfirmedAction } from './reauthentication.tsx'
import { accountTexts } from './texts.ts'
import { tokenTexts } from './token-texts.ts'

type Scope = ReturnType<typeof useSession>['me']['scopes'][number]
const DAY_SECONDS = 86_400
/** Lifetimes of a token in seconds; `null` never expires. */
const LIFETIMES_SECONDS = {
  month: 30 * DAY_SECONDS,
  quarter: 90 * DAY_SECONDS,
  year: 365 * DAY_SECONDS,
  ever: null,
} as const
type Lifetime = keyof typeof LIFETIMES_SECONDS

/** A new token with its secret. */
export interface NewToken {
  readonly name: string
  readonly token: string
}

const lifetimeOptions = (names: Readonly<Record<Lifetime, string>>): readonly (readonly [Lifetime, string])[] => [
  ['month', names.month],
  ['quarter', names.quarter],
  ['year', names.year],
  ['ever', names.ever],
]

/** A form that creates a token. @param onCreated Called with the secret, which is never cached. */
export function CreateToken({
  onCreated,
  onClose,
}: {
  onCreated(created: NewToken): void
  onClose(): void
}): ReactNode {
  const texts = useTexts(tokenTexts)
  const common = useTexts(accountTexts)
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['channels:read'])
  const [life, setLife] = useState<Lifetime>('quarter')
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const { run, isBusy, problem } = useCreateToken({ name: name.trim(), scopes, life }, onCreated)
  return (
    <div className={style['panel']}>
      <ActionForm problem={problem} fields={['name']} onSubmit={() => run()}>
        <TextField
          ref={first}
          label={texts.name}
          hint={texts.nameHint}
          maxLength={100}
          value={name}
          onChange={setName}
          error={fieldError(problem, 'name')}
        />
        <ScopeChecks scopes={scopes} onChange={setScopes} />
        <Select<Lifetime> label={texts.life} value={life} options={lifetimeOptions(texts.lives)} onChange={setLife} />
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {texts.create}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </Row>
      </ActionForm>
    </div>
  )
}

interface TokenRequest {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly life: Lifetime
}

function useCreateToken(
  { name, scopes, life }: TokenRequest,
  onCreated: (created: NewToken) => void,
): AccountAction<void> {
  const texts = useTexts(tokenTexts)
  const client = useQueryClient()
  const own = useOwnAccountQuery()
  return useConfirmedAction(async () => {
    const missing = [
      ...(name === '' ? [{ code: 'required', message: texts.nameMissing, param: 'name' }] : []),
      ...(scopes.length === 0 ? [{ code: 'required', message: texts.mayMissing }] : []),
    ]
    if (missing.length > 0) throw new InputRejected(missing)
    const created = await call('createToken', { ...own, body: { name, scopes, expires_in: LIFETIMES_SECONDS[life] } })
    await refresh(client, 'listTokens')
    onCreated({ name: created.name, token: created.token })
  })
}

/** Checkboxes for a token's permissions, which can't exceed its creator's. */
function ScopeChecks({
  scopes,
  onChange,
}: {
  readonly scopes: readonly Scope[]
  onChange(scopes: readonly Scope[]): void
}): ReactNode {
  const texts = useTexts(tokenTexts)
  const { me } = useSession()
  return (
    <fieldset className={style['choices']}>
      <legend>{texts.may}</legend>
      {me.scopes.map((scope) => (
        <Checkbox
          key={scope}
          label={texts.scopes[scope]}
          hint={texts.scopeHints[scope]}
          checked={scopes.includes(scope)}
          onChange={(isOn) => onChange(isOn ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
        />
      ))}
    </fieldset>
  )
}

/** Returns the query for one's own account, even while staff view another one. */
export function useOwnAccountQuery(): { readonly query: { readonly account?: string } } {
  const { me } = useSession()
  return { query: useViewedAccount() === null ? {} : { account: me.account } }
}
