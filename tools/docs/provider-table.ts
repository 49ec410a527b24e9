import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Social } from '@gatepost/auth/social'
import { renderTable, toCode } from './table.ts'
import { withAuth } from './with-auth.ts'

type Record = Awaited<ReturnType<Social['provider']>>['record']

const PROTOCOLS: { readonly [P in Record['protocol']]: string } = {
  oauth2: 'OAuth 2',
  oauth1: 'OAuth 1.0a',
  oidc: 'OpenID Connect',
  openid2: 'OpenID 2.0',
  saml: 'SAML 2.0',
  custom: 'Its own',
}

/** Notes that can't be derived from a provider's data. */
const NOTES: Readonly<{ [id: string]: string }> = {
  apple: "`key` is the team ID, `secret` the key ID, and `certificate_key` in the app's settings the key as PEM",
  bitbucket_oauth2: 'the ID is the username, which can change; use `uid_field: "uuid"` on a new site',
  dummy: 'no app; asks who you want to be: [only for tests](#test-without-a-provider)',
  openid: 'no app; people enter the URL of theirs',
  openid_connect: 'one app per provider: see [OpenID Connect](#openid-connect)',
  saml: 'one app per organization, and an extra package: see [SAML](#saml)',
  nextcloud: 'the URL of your server',
  mediawiki: 'requires a `USER_AGENT` with contact details',
  bitly: 'the ID is the login name, which can change',
  edx: 'the ID is the username',
  exist: 'the ID is the username, which can change; use `uid_field: "id"` if the profile has one',
  hubic: 'the ID is the email address',
  jupyterhub: 'the ID is the username',
  pinterest: 'the ID in `v5` is the username, which can change; use `uid_field: "id"` on a new site',
  pocket: 'the ID is the email address',
  tumblr: 'the ID is a blog name, which can change; use `uid_field: "blogs[0].uuid"` on a new site',
  tumblr_oauth2: 'the ID is a blog name, which can change; use `uid_field: "blogs[0].uuid"` on a new site',
  reddit: 'requires a `USER_AGENT`; the ID is the username: use `uid_field: "id"` on a new site',
  salesforce: '`key` is the URL of your Salesforce, such as `https://login.salesforce.com`',
  shopify: 'the link names the shop: `?shop=example`',
  steam: '`secret` is a Web API key',
  telegram: '`client_id` is the bot ID, `secret` the bot token',
  untappd: 'requires a `USER_AGENT`',
  trello: '`key` is the API key',
}

/** Renders every provider of the registry, by name. */
export const renderProviders = (): Promise<string> =>
  withAuth(async (auth) => {
    const social = auth.module('social')
    const entries = (await social.entries()).toSorted(
      (a, b) => a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1),
    )
    const rows = await Promise.all(
      entries.map(async (entry) => {
        const { record } = await social.provider(createSampleApp(entry.id))
        const { name, id, protocol, callbackPath } = entry
        return [name, toCode(id), PROTOCOLS[protocol], toCode(callbackPath), collectNotes(record).join('; ')]
      }),
    )
    return renderTable(['Provider', 'ID', 'Protocol', 'Callback path', 'Notes'], rows)
  })

const createSampleApp = (provider: string) => ({
  id: null,
  provider,
  providerId: '',
  name: '',
  clientId: 'made-up',
  secret: '',
  key: '',
  settings: {},
  providerSettings: {},
})

function collectNotes(record: Record): readonly string[] {
  const note = NOTES[record.id]
  const token = record.supportsToken && record.needsApp ? ['accepts [tokens from apps](#tokens-from-apps)'] : []
  if (record.protocol === 'oauth1' && record.hosts !== undefined)
    return [`optional: ${Object.keys(record.hosts).map(toCode).join(', ')}`]
  if (record.protocol !== 'oauth2') return [...(note === undefined ? [] : [note]), ...token]
  const settings = Object.entries(record.settings ?? {}).flatMap(([name, value]) => listSettings(name, value))
  const needed = settings.filter(({ isNeeded }) => isNeeded).map(({ name }) => toCode(name))
  const others = settings.filter(({ isNeeded }) => !isNeeded).map(({ name }) => toCode(name))
  return [
    ...(needed.length === 0 ? [] : [`**requires** ${needed.join(', ')}`]),
    ...(note === undefined ? [] : [note]),
    ...(note === undefined && JSON.stringify(record).includes('{app_key}') ? ["**requires** the app's `key`"] : []),
    ...(others.length === 0 ? [] : [`optional: ${[...new Set(others)].join(', ')}`]),
    ...(record.pkce === 'off' ? ['no PKCE'] : []),
    ...token,
  ]
}

type Setting = NonNullable<Extract<Record, { protocol: 'oauth2' }>['settings']>[string]

/** Lists the settings a placeholder stands for. One that's filled in by the visitor or by another setting has none. */
function listSettings(name: string, value: Setting): readonly { readonly name: string; readonly isNeeded: boolean }[] {
  if (typeof value === 'string') return [{ name, isNeeded: false }]
  if (value.setting === null || value.of !== undefined) return []
  return [{ name: value.setting ?? name, isNeeded: value.default === undefined }]
}

const SOURCE = 'packages/auth/src/social/providers'
const FROM_SNIPPET = '../../../packages/auth/src/social'

/** Renders the source of a short provider as a snippet that compiles. */
export function renderSampleProvider(): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', SOURCE, 'okta.ts'), 'utf8')
  const [imports = '', body = ''] = text.split('\n\n', 2)
  const shown = text.slice(text.indexOf(body)).trimEnd()
  const given = imports.replaceAll("'../", `'${FROM_SNIPPET}/`).replaceAll('\n', '; ')
  return `<!-- given: ${given} -->\n\`\`\`ts\n// ${SOURCE}/okta.ts\n${shown}\n\`\`\``
}
