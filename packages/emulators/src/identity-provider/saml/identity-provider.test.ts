import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml'
import { describe, expect, it } from 'vitest'
import { type SamlFault, type SamlIdentityProvider, samlIdentityProvider, type SamlOptions } from '../emulator.ts'

const SP = 'https://sp.example/metadata'
const ACS = 'https://sp.example/acs'
const SLS = 'https://sp.example/sls'
const mia = {
  id: 'p-4815',
  email: 'mia@people.example',
  emailVerified: true,
  username: 'mia',
  firstName: 'Mia & Co',
  lastName: 'Möller',
}

function identityProvider(options: Partial<SamlOptions> = {}): SamlIdentityProvider {
  const idp = samlIdentityProvider({
    entityId: 'https://saml.idp.example/metadata',
    now: () => Date.now(),
    random: randomBytes,
    ...options,
  })
  idp.signIn(mia)
  idp.addServiceProvider({ entityId: SP, acsUrls: [ACS], slsUrl: SLS })
  return idp
}

/** A service provider by a library that knows nothing of the emulator. */
function serviceProvider(idp: SamlIdentityProvider, more: Partial<SamlConfig> = {}): SAML {
  const { sso, slo } = idp.addresses()
  return new SAML({
    issuer: SP,
    callbackUrl: ACS,
    audience: SP,
    entryPoint: sso,
    logoutUrl: slo,
    logoutCallbackUrl: SLS,
    idpCert: idp.certificate,
    idpIssuer: idp.entityId,
    wantAuthnResponseSigned: false,
    wantAssertionsSigned: true,
    validateInResponseTo: ValidateInResponseTo.always,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    ...more,
  })
}

async function signedIn(idp: SamlIdentityProvider, sp: SAML): ReturnType<SAML['validatePostResponseAsync']> {
  const reply = await idp.fetch(new Request(await sp.getAuthorizeUrlAsync('relay', 'sp.example', {})))
  const html = await reply.text()
  expect(/action="([^"]+)"/.exec(html)?.[1]).toBe(ACS)
  expect(html).toContain('name="RelayState" value="relay"')
  return sp.validatePostResponseAsync({ SAMLResponse: /name="SAMLResponse" value="([^"]+)"/.exec(html)?.[1] ?? '' })
}

const whatIsSigned: readonly [SamlOptions['signs'], Partial<SamlConfig>][] = [
  ['assertion', {}],
  ['response', { wantAuthnResponseSigned: true, wantAssertionsSigned: false }],
  ['both', { wantAuthnResponseSigned: true, wantAssertionsSigned: true }],
]
it.each(whatIsSigned)('signs a person in at a service provider, the %s signed', async (signs, config) => {
  const idp = identityProvider(signs === undefined ? {} : { signs })
  const { profile } = await signedIn(idp, serviceProvider(idp, config))
  expect(profile).toMatchObject({
    nameID: 'p-4815',
    attributes: {
      'urn:oasis:names:tc:SAML:attribute:subject-id': 'p-4815',
      'urn:oid:0.9.2342.19200300.100.1.3': mia.email,
      'http://schemas.auth0.com/email_verified': 'true',
      'urn:oid:2.5.4.42': 'Mia & Co',
      'urn:oid:2.5.4.4': 'Möller',
      'http://schemas.auth0.com/nickname': 'mia',
    },
  })
})

it('demands signed requests of whoever has a key', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = { type: 'pkcs8', format: 'pem' } as const
  const idp = identityProvider()
  const certificate = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  idp.addServiceProvider({ entityId: SP, acsUrls: [ACS], certificate })
  const signing = { privateKey: privateKey.export(pem).toString(), signatureAlgorithm: 'sha256' } as const
  expect((await signedIn(idp, serviceProvider(idp, signing))).profile?.nameID).toBe('p-4815')
  const unsigned = await serviceProvider(idp).getAuthorizeUrlAsync('', 'sp.example', {})
  expect((await idp.fetch(new Request(unsigned))).status).toBe(400)
})

it('refuses whom it does not know, and other consumer addresses', async () => {
  const idp = identityProvider()
  const elsewhere = await serviceProvider(idp, { callbackUrl: 'https://evil.example/acs' }).getAuthorizeUrlAsync(
    '',
    'sp.example',
    {},
  )
  expect((await idp.fetch(new Request(elsewhere))).status).toBe(400)
  const unknown = await serviceProvider(idp, { issuer: 'https://evil.example' }).getAuthorizeUrlAsync(
    '',
    'sp.example',
    {},
  )
  expect((await idp.fetch(new Request(unknown))).status).toBe(400)
  expect((await idp.fetch(new Request(`${idp.addresses().sso}?SAMLRequest=bm8=`))).status).toBe(400)
})

describe('a fault', () => {
  const refused: readonly SamlFault[] = [
    'unsigned',
    'bad_signature',
    'other_key',
    'wrong_audience',
    'expired',
    'not_yet_valid',
    'wrong_in_response_to',
    'no_in_response_to',
    'wrapped_beside',
    'wrapped_inside',
    'denied',
    'malformed',
  ]
  it.each(refused)('%s makes a careful service provider refuse', async (fault) => {
    const idp = identityProvider()
    idp.fail(fault)
    await expect(signedIn(idp, serviceProvider(idp))).rejects.toThrow(/./)
    idp.clearFaults()
    expect((await signedIn(idp, serviceProvider(idp))).profile?.nameID).toBe('p-4815')
  })

  it('names another issuer, which the library leaves to its user to compare', async () => {
    const idp = identityProvider()
    idp.fail('other_issuer')
    expect((await signedIn(idp, serviceProvider(idp))).profile?.issuer).toBe('https://another-idp.example')
  })

  it('splits the name by a comment that no signature covers', async () => {
    const idp = identityProvider()
    idp.fail('commented_name')
    const xml = Buffer.from(idp.respond(SP).SAMLResponse, 'base64').toString()
    expect(xml).toContain('>p<!---->-4815<')
    expect((await signedIn(idp, serviceProvider(idp))).profile?.nameID).toBe('p-4815')
  })

  it('signs with SHA-1, sends elsewhere, or leaves the id out', () => {
    const idp = identityProvider()
    const now = (fault: SamlFault): string => {
      idp.fail(fault)
      return Buffer.from(idp.respond(SP, { inResponseTo: '_1' }).SAMLResponse, 'base64').toString()
    }
    expect(now('deprecated_algorithm')).toContain('http://www.w3.org/2000/09/xmldsig#rsa-sha1')
    expect(now('wrong_recipient')).toContain('Recipient="https://another-sp.example/acs"')
    expect(now('wrong_destination')).toContain('Destination="https://another-sp.example/acs"')
    expect(now('no_uid')).not.toContain('p-4815')
  })
})

it('logs out: at the wish of the service provider, and at its own', async () => {
  const idp = identityProvider()
  const sp = serviceProvider(idp, { validateInResponseTo: ValidateInResponseTo.never })
  const user = { issuer: SP, nameID: 'p-4815', nameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' }
  const reply = await idp.fetch(new Request(await sp.getLogoutUrlAsync(user, 'relay', {})))
  const back = new URL(reply.headers.get('location') ?? '')
  expect(`${back.origin}${back.pathname}`).toBe(SLS)
  const read = (url: URL): ReturnType<SAML['validateRedirectAsync']> =>
    sp.validateRedirectAsync(Object.fromEntries(url.searchParams), url.search.slice(1))
  expect(await read(back)).toMatchObject({ loggedOut: true })
  expect(await read(new URL(idp.logoutAddress(SP)))).toMatchObject({ profile: { nameID: 'p-4815' } })
  idp.fail('other_key')
  await expect(read(new URL(idp.logoutAddress(SP)))).rejects.toThrow(/signature/i)
})

it('is served, with metadata that lead there', async () => {
  const idp = identityProvider()
  const served = await idp.listen()
  try {
    const metadata = await (await fetch(idp.addresses().metadata)).text()
    expect(metadata).toContain(`Location="${served.url}/sso"`)
    expect(metadata).toContain('entityID="https://saml.idp.example/metadata"')
    const page = await serviceProvider(idp).getAuthorizeUrlAsync('', 'sp.example', {})
    const asked = await fetch(page, { headers: { accept: 'text/html' } })
    expect(await asked.text()).toContain('Mia &amp; Co Möller')
    const said = new URLSearchParams({ emulated_answer: 'allow', emulated_person: 'p-4815' })
    expect(await (await fetch(page, { method: 'POST', body: said })).text()).toContain('SAMLResponse')
  } finally {
    await served.close()
  }
})
