import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Core } from '@gatepost/auth'
import { code, table } from './table.ts'
import { withAuth } from './with-auth.ts'

type Record = Awaited<ReturnType<Core['social']['provider']>>['record']

const PROTOCOLS: { readonly [P in Record['protocol']]: string } = {
  oauth2: 'OAuth 2',
  oauth1: 'OAuth 1.0a',
  oidc: 'OpenID Connect',
  openid2: 'OpenID 2.0',
  saml: 'SAML 2.0',
  custom: 'its own',
}

/** What the data of a provider does not say by itself. */
const WORDS: Readonly<{ [id: string]: string }> = {
  apple: '`key` is the team id, `secret` the id of the key, `certificate_key` among the settings of the app its PEM',
  bitbucket_oauth2: 'the id is the user name, which can change: `uid_field: "uuid"` on a new site',
  dummy: 'no app; asks who you want to be: [for tests alone](#trying-it-without-a-provider)',
  openid: 'no app; people type the address of theirs',
  openid_connect: 'an app each: [OpenID Connect](#openid-connect)',
  saml: 'an app each, and a package: [SAML](#saml)',
  nextcloud: 'the address of yours',
  mediawiki: 'wants a `USER_AGENT` with a contact',
  bitly: 'the id is the login name, which can change',
  edx: 'the id is the user name',
  exist: 'the id is the user name, which can change: `uid_field: "id"` where the profile has one',
  hubic: 'the id is the address',
  jupyterhub: 'the id is the user name',
  pinterest: 'the id in `v5` is the user name, which can change: `uid_field: "id"` on a new site',
  pocket: 'the id is the address',
  tumblr: 'the id is the name of a blog, which can change: `uid_field: "blogs[0].uuid"` on a new site',
  tumblr_oauth2: 'the id is the name of a blog, which can change: `uid_field: "blogs[0].uuid"` on a new site',
  reddit: 'wants a `USER_AGENT`; the id is the user name: `uid_field: "id"` on a new site',
  salesforce: '`key` is the address of your Salesforce, such as `https://login.salesforce.com`',
  shopify: 'the shop stands in the link: `?shop=example`',
  steam: '`secret` is a key of the Web API',
  telegram: '`client_id` is the id of a bot, `secret` its token',
  untappd: 'wants a `USER_AGENT`',
  trello: '`key` is the API key',
}

/** Every provider of the registry, by name. */
export const providerTable = (): Promise<string> =>
  withAuth(async ({ core: { social } }) => {
    const entries = (await social.entries()).toSorted(
      (a, b) => a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1),
    )
    const rows = await Promise.all(
      entries.map(async (entry) => {
        const { record } = await social.provider(appOf(entry.id))
        const { name, id, protocol, callbackPath } = entry
        return [name, code(id), PROTOCOLS[protocol], code(callbackPath), notesOf(record).join('; ')]
      }),
    )
    return table(['Provider', 'Id', 'Protocol', 'Callback', 'Besides'], rows)
  })

const appOf = (provider: string) => ({
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

function notesOf(record: Record): readonly string[] {
  const words = WORDS[record.id]
  const token = record.supportsToken && record.needsApp ? ['takes [tokens](#tokens-that-an-app-brings)'] : []
  if (record.protocol === 'oauth1' && record.hosts !== undefined)
    return [`knows ${Object.keys(record.hosts).map(code).join(', ')}`]
  if (record.protocol !== 'oauth2') return [...(words === undefined ? [] : [words]), ...token]
  const settings = Object.entries(record.settings ?? {}).flatMap(([name, value]) => settingOf(name, value))
  const needed = settings.filter(({ isNeeded }) => isNeeded).map(({ name }) => code(name))
  const others = settings.filter(({ isNeeded }) => !isNeeded).map(({ name }) => code(name))
  return [
    ...(needed.length === 0 ? [] : [`**needs** ${needed.join(', ')}`]),
    ...(words === undefined ? [] : [words]),
    ...(words === undefined && JSON.stringify(record).includes('{app_key}') ? ['**needs** the `key` of the app'] : []),
    ...(others.length === 0 ? [] : [`knows ${[...new Set(others)].join(', ')}`]),
    ...(record.pkce === 'off' ? ['no PKCE'] : []),
    ...token,
  ]
}

type Setting = NonNullable<Extract<Record, { protocol: 'oauth2' }>['settings']>[string]

/** A setting of a host; those that a visitor alone fills in, or another one, are none. */
function settingOf(name: string, value: Setting): readonly { readonly name: string; readonly isNeeded: boolean }[] {
  if (typeof value === 'string') return [{ name, isNeeded: false }]
  if (value.setting === null || value.of !== undefined) return []
  return [{ name: value.setting ?? name, isNeeded: value.default === undefined }]
}

const SOURCE = 'packages/auth/src/social/providers'
const FROM_SNIPPET = '../../../packages/auth/src/social'

/** A provider as it stands in its file, for a page that shows how one is added. */
export function shownProvider(): string {
  const text = readFileSync(join(import.meta.dirname, '..', '..', SOURCE, 'okta.ts'), 'utf8')
  const [imports = '', body = ''] = text.split('\n\n', 2)
  const shown = text.slice(text.indexOf(body)).trimEnd()
  const given = imports.replaceAll("'../", `'${FROM_SNIPPET}/`).replaceAll('\n', '; ')
  return `<!-- given: ${given} -->\n\`\`\`ts\n// ${SOURCE}/okta.ts\n${shown}\n\`\`\``
}
