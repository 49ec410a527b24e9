import { samlIdentityProvider } from '@gatepost/emulators/identity-provider'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { manualClock } from '../../testing/clock.ts'
import type { ExchangeCall, ProviderIdentity } from '../exchange.ts'
import { IDA } from '../oauth2/testing-handshake.ts'
import { numberedBytes } from '../oauth2/testing-random.ts'
import { loadExchange, providerRecord } from '../registry/registry.ts'

export const IDP = 'https://saml.idp.example/entity'
export const ACS = 'https://site.example/accounts/saml/acme/acs/'
export const SLS = 'https://site.example/accounts/saml/acme/sls/'
/** Our entity id is the address of our metadata. */
export const SP = 'https://site.example/accounts/saml/acme/metadata/'

/** What a test changes. */
export interface OrganisationOptions {
  readonly settings?: JsonObject
  readonly advanced?: JsonObject
  readonly idp?: JsonObject
  readonly emulator?: Partial<Pick<Parameters<typeof samlIdentityProvider>[0], 'signs' | 'nameId' | 'attributes'>>
  /** PEM: the provider takes signed requests alone. */
  readonly certificate?: string
}

/** One organisation, whose provider is emulated, and the exchange with it. */
export async function organisation(options: OrganisationOptions = {}) {
  const clock = manualClock()
  const random = numberedBytes()
  const idp = samlIdentityProvider({ entityId: IDP, now: clock.now, random, ...options.emulator })
  idp.signIn(IDA)
  const { certificate } = options
  idp.addServiceProvider({ entityId: SP, acsUrls: [ACS], slsUrl: SLS, ...(certificate && { certificate }) })
  const { metadata } = idp.addresses()
  const call: ExchangeCall = {
    io: { fetch: idp.fetch, clock, random, log: { debug() {}, info() {}, warn() {}, error() {} } },
    app: {
      id: null,
      provider: 'saml',
      providerId: IDP,
      name: 'Acme',
      clientId: 'acme',
      secret: '',
      key: '',
      settings: {
        idp: { entity_id: IDP, metadata_url: metadata, ...options.idp },
        advanced: { ...options.advanced },
        ...options.settings,
      },
      providerSettings: {},
    },
    redirectUri: ACS,
    queryEmail: true,
    storeTokens: false,
    siteName: 'Our site',
  }
  const exchange = await loadExchange(await providerRecord('saml'))
  const begin = (action: 'authenticate' | 'reauthenticate' = 'authenticate') =>
    exchange.begin(call, { state: 'unused', action, scope: [], authParams: {}, query: new URLSearchParams() })
  /** What the browser then posts to us. */
  const visit = async (url: string): Promise<URLSearchParams> => {
    const inputs = (await (await idp.fetch(new Request(url))).text()).matchAll(/name="([^"]+)" value="([^"]*)"/g)
    return new URLSearchParams([...inputs].map(([, name = '', value = '']) => [name, value]))
  }
  const finish = (kept: JsonObject, params: URLSearchParams): Promise<ProviderIdentity> =>
    exchange.finish(call, { kept, params })
  const signIn = async (): Promise<ProviderIdentity> => {
    const { url, kept } = await begin()
    return finish(kept, await visit(url))
  }
  return { clock, idp, call, begin, visit, finish, signIn }
}

/** A response, changed on its way. */
export const changeResponse = (params: URLSearchParams, change: (xml: string) => string): URLSearchParams => {
  const xml = Buffer.from(params.get('SAMLResponse') ?? '', 'base64').toString()
  return new URLSearchParams({ SAMLResponse: Buffer.from(change(xml)).toString('base64') })
}
