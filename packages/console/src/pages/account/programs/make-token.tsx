import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { programTexts } from './texts.ts'
import { useOwn } from './use-own.ts'
import style from '../account.module.css'
import { InputRefused } from '../account-problem.ts'
import { useAct } from '../act.ts'
import { ActForm } from '../act-form.tsx'
import { fieldError } from '../problem.tsx'
import { accountTexts } from '../texts.ts'
import type { Work } from '../work.ts'
import { call } from '../../../api/call.ts'
import { refresh } from '../../../api/queries.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { CheckField, Choice, TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'

type Scope = ReturnType<typeof useSession>['me']['scopes'][number]
const DAY_SECONDS = 86_400
/** How long a token may live, in seconds. */
const LIVES = { month: 30 * DAY_SECONDS, quarter: 90 * DAY_SECONDS, year: 365 * DAY_SECONDS, ever: null } as const
type Life = keyof typeof LIVES

/** A new token with its text. */
export interface Made {
  readonly name: string
  readonly token: string
}

const lifeOptions = (names: Readonly<Record<Life, string>>): readonly (readonly [Life, string])[] => [
  ['month', names.month],
  ['quarter', names.quarter],
  ['year', names.year],
  ['ever', names.ever],
]

/** Makes a token. @param onMade Given its text, which is in no cache. */
export function MakeToken({ onMade, onClose }: { onMade(made: Made): void; onClose(): void }): ReactNode {
  const texts = useTexts(programTexts)
  const common = useTexts(accountTexts)
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['channels:read'])
  const [life, setLife] = useState<Life>('quarter')
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const { run, isBusy, problem } = useMake({ name: name.trim(), scopes, life }, onMade)
  return (
    <div className={style['panel']}>
      <ActForm problem={problem} fields={['name']} onSubmit={() => run()}>
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
        <Choice<Life> label={texts.life} value={life} options={lifeOptions(texts.lives)} onChange={setLife} />
        <Row>
          <Button kind="primary" type="submit" busy={isBusy}>
            {texts.create}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </Row>
      </ActForm>
    </div>
  )
}

interface Wanted {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly life: Life
}

function useMake({ name, scopes, life }: Wanted, onMade: (made: Made) => void): Work<void> {
  const texts = useTexts(programTexts)
  const client = useQueryClient()
  const own = useOwn()
  return useAct(async () => {
    const missing = [
      ...(name === '' ? [{ code: 'required', message: texts.nameMissing, param: 'name' }] : []),
      ...(scopes.length === 0 ? [{ code: 'required', message: texts.mayMissing }] : []),
    ]
    if (missing.length > 0) throw new InputRefused(missing)
    const made = await call('createToken', { ...own, body: { name, scopes, expires_in: LIVES[life] } })
    await refresh(client, 'listTokens')
    onMade({ name: made.name, token: made.token })
  })
}

/** A token can do no more than whoever makes it. */
function ScopeChecks({
  scopes,
  onChange,
}: {
  readonly scopes: readonly Scope[]
  onChange(scopes: readonly Scope[]): void
}): ReactNode {
  const texts = useTexts(programTexts)
  const { me } = useSession()
  return (
    <fieldset className={style['choices']}>
      <legend>{texts.may}</legend>
      {me.scopes.map((scope) => (
        <CheckField
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
