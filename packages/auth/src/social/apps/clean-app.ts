import type { Account } from '../../account/account.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import { appSettingProblems, isPathSegment } from './app-checks.ts'
import type { StoredApp } from './app-rows.sql.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'

/** Columns of an app that hold text, and their lengths in characters. */
const LONGEST = { provider_id: 200, name: 40, client_id: 191, secret: 4_096, key: 4_096 } as const

type Param = keyof typeof LONGEST | 'provider' | 'settings'

/**
 * Checks an app that staff wrote. `param` of the errors is the name of the column.
 * @param others Apps that are there besides.
 * @throws {InvalidInput} `unknown_provider`, `required`, `max_length`, `null_characters_not_allowed`, `invalid`
 */
export function cleanApp(
  core: Pick<Account, 'adapter'>,
  app: StoredApp,
  entries: readonly ProviderEntry[],
  others: readonly Pick<StoredApp, 'provider' | 'providerId'>[],
): void {
  const refuse = (code: string, param: Param, values: Readonly<Record<string, number>> = {}): InputError =>
    core.adapter.validationError(code, { param, values })
  const entry = entries.find(({ id }) => id === app.provider)
  if (entry === undefined) throw new InvalidInput([refuse('unknown_provider', 'provider')])
  const texts = {
    provider_id: app.providerId,
    name: app.name,
    client_id: app.clientId,
    secret: app.secret,
    key: app.key,
  }
  const errors = Object.entries(LONGEST).flatMap(([name, max]) => {
    const param = name as keyof typeof LONGEST // its own key
    if (texts[param].includes('\0')) return [refuse('null_characters_not_allowed', param)]
    return Array.from(texts[param]).length > max ? [refuse('max_length', param, { max })] : []
  })
  errors.push(...neededMembers(entry, app).map(([code, param]) => refuse(code, param)))
  if (isDuplicateApp(entry, app, others)) errors.push(refuse('invalid', 'provider_id'))
  if (appSettingProblems(app.settings, 'settings').length > 0 || JSON.stringify(app.settings).includes('\\u0000')) {
    errors.push(refuse('invalid', 'settings'))
  }
  if (errors.length > 0) throw new InvalidInput(errors)
}

function neededMembers(entry: ProviderEntry, app: StoredApp): readonly (readonly [code: string, param: Param])[] {
  const needed: (readonly [string, Param])[] = []
  if (entry.needsApp && app.clientId === '') needed.push(['required', 'client_id'])
  if (entry.protocol === 'saml' && app.clientId !== '' && !isPathSegment(app.clientId)) {
    needed.push(['invalid', 'client_id'])
  }
  if (entry.protocol === 'oidc') {
    if (app.providerId === '') needed.push(['required', 'provider_id'])
    else if (!isPathSegment(app.providerId)) needed.push(['invalid', 'provider_id'])
    const url = app.settings['server_url']
    if (typeof url !== 'string' || !URL.canParse(url)) needed.push(['invalid', 'settings'])
  }
  return needed
}

/** Links of people are stored under this id: it must be one provider's alone. */
function isDuplicateApp(
  { protocol }: ProviderEntry,
  app: StoredApp,
  others: readonly Pick<StoredApp, 'provider' | 'providerId'>[],
): boolean {
  const id = app.providerId || app.provider
  // Several apps of one provider know the same people; two organisations of SAML do not.
  const mayShare = (other: Pick<StoredApp, 'providerId'>): boolean =>
    protocol !== 'saml' && app.providerId === '' && other.providerId === ''
  return others.some((other) => (other.providerId || other.provider) === id && !mayShare(other))
}
