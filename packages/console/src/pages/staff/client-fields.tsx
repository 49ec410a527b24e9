import type { ReactNode } from 'react'
import type { OidcClient, Operations } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/language.ts'
import { Checkbox, Select, TextArea, TextField } from '../../parts/field.tsx'
import type { FieldErrors } from './staff-page.tsx'
import style from './staff.module.css'
import { clientTexts } from './client-texts.ts'

interface ClientFieldsProps {
  readonly values: ClientValues
  readonly errors: FieldErrors
  /** The scopes that can be allowed. */
  readonly scopes: readonly string[]
  onChange(values: ClientValues): void
}

/** The fields of a client. */
export function ClientFields(props: ClientFieldsProps): ReactNode {
  const { values, errors, onChange } = props
  const texts = useTexts(clientTexts)
  return (
    <>
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        error={errors['name']}
        required
        maxLength={100}
        value={values.name}
        onChange={(name) => onChange({ ...values, name })}
      />
      <Select
        label={texts.type}
        hint={texts.typeHint}
        value={values.type}
        options={[
          ['confidential', texts.types.confidential],
          ['public', texts.types.public],
        ]}
        onChange={(type) => onChange({ ...values, type })}
      />
      <Grants {...props} />
      {values.grants.includes('authorization_code') && (
        <TextArea
          label={texts.redirects}
          hint={texts.redirectsHint}
          error={errors['redirect_uris']}
          spellCheck={false}
          value={values.redirects}
          onChange={(redirects) => onChange({ ...values, redirects })}
        />
      )}
      <Scopes {...props} />
      <More {...props} />
    </>
  )
}

/** Returns a list with a value added or removed. */
const toggle = <V,>(list: readonly V[], value: V, isIn: boolean): readonly V[] =>
  isIn ? [...list, value] : list.filter((one) => one !== value)

function Grants({ values, onChange }: ClientFieldsProps): ReactNode {
  const texts = useTexts(clientTexts)
  return (
    <fieldset className={style['checks']}>
      <legend>{texts.grantsTitle}</legend>
      {GRANTS.filter((grant) => mayUse(values.type, grant)).map((grant) => (
        <Checkbox
          key={grant}
          label={texts.grants[grant]}
          checked={values.grants.includes(grant)}
          onChange={(isIn) => onChange({ ...values, grants: toggle(values.grants, grant, isIn) })}
        />
      ))}
    </fieldset>
  )
}

function Scopes({ values, scopes, onChange }: ClientFieldsProps): ReactNode {
  const texts = useTexts(clientTexts)
  const words: Readonly<Record<string, string | undefined>> = texts.scopes
  return (
    <fieldset className={style['checks']}>
      <legend>{texts.scopesTitle}</legend>
      {[...new Set([...scopes, ...values.scopes])].map((scope) => (
        <Checkbox
          key={scope}
          label={
            <>
              {words[scope]} <code className={style['soft']}>{scope}</code>
            </>
          }
          checked={values.scopes.includes(scope)}
          onChange={(isIn) => onChange({ ...values, scopes: toggle(values.scopes, scope, isIn) })}
        />
      ))}
    </fieldset>
  )
}

function More({ values, errors, onChange }: ClientFieldsProps): ReactNode {
  const texts = useTexts(clientTexts)
  const isWrong = errors['post_logout_redirect_uris'] !== undefined || errors['cors_origins'] !== undefined
  return (
    <details className={style['more']} {...(isWrong && { open: true })}>
      <summary>{texts.more}</summary>
      <div>
        <TextArea
          label={texts.logout}
          hint={texts.lines}
          error={errors['post_logout_redirect_uris']}
          value={values.logout}
          onChange={(logout) => onChange({ ...values, logout })}
        />
        <TextArea
          label={texts.cors}
          hint={texts.corsHint}
          error={errors['cors_origins']}
          value={values.cors}
          onChange={(cors) => onChange({ ...values, cors })}
        />
        <Checkbox
          label={texts.skip}
          hint={texts.skipHint}
          checked={values.skip}
          onChange={(skip) => onChange({ ...values, skip })}
        />
        <Checkbox
          label={texts.wildcards}
          hint={texts.wildcardsHint}
          checked={values.wildcards}
          onChange={(wildcards) => onChange({ ...values, wildcards })}
        />
      </div>
    </details>
  )
}

type Body = Operations['createClient']['body']
/** A grant type. */
type Grant = OidcClient['grant_types'][number]

/** The grant types, in display order. */
const GRANTS = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
  'client_credentials',
] as const satisfies readonly Grant[]

/** The values of the form; lists of URLs have one per line. */
export interface ClientValues {
  readonly name: string
  readonly type: OidcClient['type']
  readonly grants: readonly Grant[]
  readonly scopes: readonly string[]
  readonly redirects: string
  readonly logout: string
  readonly cors: string
  readonly wildcards: boolean
  readonly skip: boolean
}

/** Returns the form's initial values. @param client `null` for a new client. */
export const initialClient = (client: OidcClient | null): ClientValues => ({
  name: client?.name ?? '',
  type: client?.type ?? 'confidential',
  grants: client?.grant_types ?? ['authorization_code', 'refresh_token'],
  scopes: client?.scopes ?? ['openid', 'profile', 'email'],
  redirects: (client?.redirect_uris ?? []).join('\n'),
  logout: (client?.post_logout_redirect_uris ?? []).join('\n'),
  cors: (client?.cors_origins ?? []).join('\n'),
  wildcards: client?.allow_uri_wildcards ?? false,
  skip: client?.skip_consent ?? false,
})

/**
 * Reports whether a type of client may use a grant: client credentials need a secret, device codes are for clients
 * without one.
 */
const mayUse = (type: OidcClient['type'], grant: Grant): boolean =>
  grant !== (type === 'public' ? 'client_credentials' : 'urn:ietf:params:oauth:grant-type:device_code')

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Reports whether a redirect URI is missing. */
export const lacksRedirect = ({ grants, redirects }: ClientValues): boolean =>
  grants.includes('authorization_code') && splitLines(redirects).length === 0

/** Returns the request body. */
export function toClientBody(values: ClientValues, before: OidcClient | null): Body {
  const grants = values.grants.filter((grant) => mayUse(values.type, grant))
  const inBrowser = grants.includes('authorization_code')
  return {
    name: values.name.trim(),
    type: values.type,
    grant_types: grants,
    scopes: values.scopes,
    ...(before !== null && { default_scopes: before.default_scopes.filter((scope) => values.scopes.includes(scope)) }),
    redirect_uris: splitLines(values.redirects),
    post_logout_redirect_uris: splitLines(values.logout),
    cors_origins: splitLines(values.cors),
    allow_uri_wildcards: values.wildcards,
    skip_consent: values.skip,
    ...responseTypes(inBrowser, before),
  }
}

/** Keeps an existing client's response types while it uses authorization codes. */
function responseTypes(inBrowser: boolean, before: OidcClient | null): Pick<Body, 'response_types'> {
  if (!inBrowser) return { response_types: [] }
  return before === null || before.response_types.length === 0 ? { response_types: ['code'] } : {}
}
