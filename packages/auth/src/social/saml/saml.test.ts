import { createVerify } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectFailure, IDA } from '../oauth2/testing-handshake.ts'
import { findChildren, findElements, readXml, type XmlElement } from '../wire/xml.ts'
import { readMetadata } from './identity-provider.ts'
import type { SamlMessage } from './logout.ts'
import { ASSERTION, FORMAT_UNSPECIFIED, METADATA, PROTOCOL, XML_SIGNATURE } from './names.ts'
import { type SamlCall, samlLogout, samlLogoutRequest, samlLogoutResponse, samlMetadata } from './saml.ts'
import { matchesSubject } from './subject.ts'
import { ACS, changeResponse, IDP, organisation, SLS, SP } from './testing-organisation.ts'
import { OUR_KEY, withEncryptedAssertion } from './testing-encryption.ts'

const SUBJECT = { nameId: IDA.id, nameIdFormat: '', nameQualifier: IDP, spNameQualifier: '', sessionIndex: '_s1' }
/** The address that answers a request which has arrived. */
const runLogout = async (call: SamlCall, address: string, result: 'ended' | 'unknown' = 'ended') => {
  const outcome = await samlLogout(call, parseRedirectMessage(address))
  return outcome.kind === 'request' ? samlLogoutResponse(call, outcome, result) : null
}
const readStatusCodes = (root: XmlElement) =>
  findElements(root, PROTOCOL, 'StatusCode').map(({ attributes }) => attributes.get('Value')?.replace(/.*:/, ''))
/** A message of a redirect, as a page gets it. */
const parseRedirectMessage = (address: string): SamlMessage => {
  const url = new URL(address)
  return { binding: 'redirect', params: url.searchParams, rawQuery: url.search.slice(1) }
}
const unpackMessage = (url: string, param: string) =>
  readXml(inflateRawSync(Buffer.from(new URL(url).searchParams.get(param) ?? '', 'base64')).toString())

describe('single logout', () => {
  it('that the provider begins is answered to it', async () => {
    const { idp, call } = await organisation()
    const asked = idp.logoutAddress(SP, { sessionIndexes: ['_s1', '_s2'] })
    expect(await samlLogout(call, parseRedirectMessage(asked))).toMatchObject({
      kind: 'request',
      subject: { nameId: IDA.id, sessionIndexes: ['_s1', '_s2'] },
      parties: { issuer: IDP, service: SP },
    })
    const to = (await runLogout(call, asked)) ?? ''
    expect(to).toMatch(/^https:\/\/saml\.idp\.example\/slo\?SAMLResponse=/)
    const answer = unpackMessage(to, 'SAMLResponse')
    const { attributes } = unpackMessage(asked, 'SAMLRequest')
    expect([answer.name, answer.namespace, answer.attributes.get('Destination')]).toEqual([
      'LogoutResponse',
      PROTOCOL,
      'https://saml.idp.example/slo',
    ])
    expect(answer.attributes.get('InResponseTo')).toBe(attributes.get('ID'))
    expect(readStatusCodes(answer)).toEqual(['Success'])
    const unknown = unpackMessage((await runLogout(call, asked, 'unknown')) ?? '', 'SAMLResponse')
    expect(readStatusCodes(unknown)).toEqual(['Requester', 'UnknownPrincipal'])
    expect(attributes.get('Destination')).toBe(SLS)
    expect(await (await idp.fetch(new Request(to))).text()).toBe('Signed out.')
  })

  it('that we begin is answered by it', async () => {
    const { idp, call, clock } = await organisation()
    const begun = await samlLogoutRequest(call, SUBJECT)
    const request = unpackMessage(begun?.url ?? '', 'SAMLRequest')
    const [name] = findChildren(request, ASSERTION, 'NameID')
    expect([name?.text, Object.fromEntries(name?.attributes ?? [])]).toEqual([IDA.id, { NameQualifier: IDP }])
    expect(findChildren(request, PROTOCOL, 'SessionIndex')[0]?.text).toBe('_s1')
    const reply = await idp.fetch(new Request(begun?.url ?? ''))
    const message = parseRedirectMessage(reply.headers.get('location') ?? '')
    expect(await samlLogout(call, message)).toEqual({ kind: 'response', inResponseTo: begun?.id, success: true })
    clock.advance(11 * 60_000)
    await expectFailure(samlLogout(call, message))
  })

  it.each(['unsigned', 'other_key'] as const)('is refused when it is: %s', async (fault) => {
    const { idp, call } = await organisation()
    idp.fail(fault)
    await expectFailure(samlLogout(call, parseRedirectMessage(idp.logoutAddress(SP))))
  })

  it('is refused when anything of the message was changed', async () => {
    const { idp, call } = await organisation()
    const good = idp.logoutAddress(SP)
    const other = new URL(idp.logoutAddress(SP, { sessionIndexes: ['_s9'] })).searchParams.get('SAMLRequest') ?? ''
    const changes = [
      good.replace('?', `?%53AMLRequest=${encodeURIComponent(other)}&`),
      `${good}&%52elayState=x`,
      `${good}&RelayState=x`,
      `${good}&SAMLRequest=x`,
      good.replace('?', `?SAMLRequest=${new URL(idp.logoutAddress(SP)).searchParams.get('SAMLRequest')}&`),
      good.replace('SAMLRequest=', 'SAMLRequest=x&aSAMLRequest='),
      good.replace('rsa-sha256', 'rsa-sha1'),
      good.replace(/&SigAlg=[^&]*/, ''),
      good.replace(/&Signature=[^&]*/, ''),
      good.replace('SAMLRequest=', 'SAMLResponse='),
      SLS,
      `${SLS}?SAMLRequest=%%%`,
      `${SLS}?SAMLResponse=bm90IHhtbA==&SigAlg=x&Signature=x`,
    ]
    for (const address of changes) await expectFailure(samlLogout(call, parseRedirectMessage(address)))
    const post = { binding: 'post', params: new URL(good).searchParams, rawQuery: '' } as const
    await expectFailure(samlLogout(call, post))
    expect((await samlLogout(call, parseRedirectMessage(good))).kind).toBe('request')
  })

  it('is refused of another provider, and is not there without an address', async () => {
    const { idp, call } = await organisation({ idp: { metadata_url: '', sso_url: 'https://saml.idp.example/sso' } })
    await expectFailure(samlLogoutRequest(call, SUBJECT))
    const off = await organisation({ advanced: { sp_initiated_slo: false } })
    expect(await samlLogoutRequest(off.call, SUBJECT)).toBeNull()
    const settings = { entity_id: IDP, sso_url: 'https://saml.idp.example/sso', x509cert: idp.certificate }
    const bare = await organisation({ settings: { idp: settings } })
    expect(await samlLogoutRequest(bare.call, SUBJECT)).toBeNull()
    expect(await runLogout(bare.call, bare.idp.logoutAddress(SP))).toBeNull()
    const elsewhere = await organisation({ settings: { idp: { ...settings, entity_id: 'https://other.example' } } })
    await expectFailure(samlLogout(elsewhere.call, parseRedirectMessage(elsewhere.idp.logoutAddress(SP))))
  })

  it("and requests are signed with the app's key if configured", async () => {
    const signs = { authn_request_signed: true, logout_request_signed: true, logout_response_signed: true }
    const { begin, call, idp } = await organisation({ advanced: { ...signs, private_key: OUR_KEY } })
    const answer = await runLogout(call, idp.logoutAddress(SP))
    const urls = [(await begin()).url, (await samlLogoutRequest(call, SUBJECT))?.url ?? '', answer ?? '']
    for (const url of urls) {
      const [signed = '', signature = ''] = new URL(url).search.slice(1).split('&Signature=')
      expect(signed).toContain('rsa-sha256')
      const verify = createVerify('RSA-SHA256').update(signed)
      expect(verify.verify(OUR_KEY, decodeURIComponent(signature), 'base64')).toBe(true)
    }
    await expectFailure((await organisation({ advanced: signs })).begin())
  })
})

describe('a session that is to end', () => {
  const asked = { nameId: 'ida', nameIdFormat: '', nameQualifier: '', spNameQualifier: '', sessionIndexes: [] }
  const session = { nameId: 'ida', nameIdFormat: '', nameQualifier: '', spNameQualifier: '', sessionIndex: '_s1' }
  const parties = { issuer: IDP, service: SP }
  const format = (name: string) => `urn:oasis:names:tc:SAML:2.0:nameid-format:${name}`

  it.each([
    [{}, {}, true],
    [{ nameId: 'Ida' }, {}, false],
    [{ nameQualifier: IDP, spNameQualifier: SP }, {}, true],
    [{}, { nameQualifier: IDP, spNameQualifier: SP }, true],
    [{ nameQualifier: 'https://other.example' }, {}, false],
    [{ spNameQualifier: 'https://other.example' }, {}, false],
    [{}, { spNameQualifier: 'https://other.example' }, false],
    [{ nameIdFormat: format('persistent') }, {}, true],
    [{ nameIdFormat: format('persistent') }, { nameIdFormat: FORMAT_UNSPECIFIED }, true],
    [{ nameIdFormat: format('persistent') }, { nameIdFormat: format('transient') }, false],
    [{ sessionIndexes: ['_s1'] }, {}, true],
    [{ sessionIndexes: ['_s0', '_s1'] }, {}, true],
    [{ sessionIndexes: ['_s0'] }, {}, false],
    [{ sessionIndexes: ['_s0'] }, { sessionIndex: '' }, false],
    [{}, { sessionIndex: '' }, true],
  ])("is the request's: %j, %j", (request, kept, is) => {
    expect(matchesSubject({ ...asked, ...request }, { ...session, ...kept }, parties)).toBe(is)
  })
})

describe('an encrypted assertion', () => {
  const encrypted = async (advanced: object, algorithm?: string) => {
    const { begin, visit, finish } = await organisation({ advanced: { ...advanced } })
    const { url, kept } = await begin()
    return finish(
      kept,
      changeResponse(await visit(url), (xml) => withEncryptedAssertion(xml, algorithm)),
    )
  }

  it('is opened with our key, and must be signed within', async () => {
    const ours = { private_key: OUR_KEY, want_assertion_encrypted: true }
    expect((await encrypted(ours)).uid).toBe(IDA.id)
    await expectFailure(encrypted({}))
    await expectFailure(encrypted({ private_key: OUR_KEY }, 'http://www.w3.org/2001/04/xmlenc#rsa-1_5'))
    const plain = await organisation({ advanced: ours })
    await expectFailure(plain.signIn())
    const unsigned = await organisation({ advanced: ours })
    unsigned.idp.fail('unsigned')
    const { url, kept } = await unsigned.begin()
    await expectFailure(
      unsigned.visit(url).then((params) =>
        unsigned.finish(
          kept,
          changeResponse(params, (xml) => withEncryptedAssertion(xml)),
        ),
      ),
    )
  })
})

describe('our metadata', () => {
  it('contain what a provider needs', async () => {
    const { certificate } = (await organisation()).idp
    const { call } = await organisation({
      advanced: {
        x509cert: certificate.replaceAll(/-----[^-]+-----|\s/g, ''),
        metadata_valid_until: '2030-01-01T00:00:00Z',
        want_assertion_signed: true,
      },
      settings: {
        organization: { en: { name: 'Us & them', displayname: 'Us', url: 'https://site.example/' } },
        contact_person: { technical: { givenName: 'Ida', emailAddress: 'ida@site.example' } },
      },
    })
    const root = readXml(await samlMetadata(call))
    expect([root.name, root.namespace, root.attributes.get('entityID')]).toEqual(['EntityDescriptor', METADATA, SP])
    const [acs] = findElements(root, METADATA, 'AssertionConsumerService')
    const slo = findElements(root, METADATA, 'SingleLogoutService').map(({ attributes }) => attributes.get('Location'))
    expect([acs?.attributes.get('Location'), ...slo]).toEqual([ACS, SLS, SLS])
    expect(findElements(root, XML_SIGNATURE, 'X509Certificate')[0]?.text).toMatch(/^[A-Za-z\d+/=]+$/)
    expect(findElements(root, METADATA, 'OrganizationName')[0]?.text).toBe('Us & them')
    expect(findElements(root, METADATA, 'EmailAddress')[0]?.text).toBe('ida@site.example')
    expect(findElements(root, METADATA, 'SPSSODescriptor')[0]?.attributes.get('WantAssertionsSigned')).toBe('true')
  })

  it('are signed if configured, and refused with invalid settings', async () => {
    const signed = await organisation({ advanced: { metadata_signed: true, private_key: OUR_KEY } })
    const root = readXml(await samlMetadata(signed.call))
    expect(root.children[0]?.name).toBe('Signature')
    for (const advanced of [
      { metadata_signed: true },
      { x509cert: 'no certificate' },
      { signature_algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' },
      { digest_algorithm: 'md5' },
      { want_name_id_encrypted: true },
    ]) {
      await expectFailure(samlMetadata((await organisation({ advanced })).call))
    }
  })
})

describe('metadata of a provider', () => {
  it('are cached for hours, and then fetched again', async () => {
    const { idp, begin, clock } = await organisation()
    await begin()
    idp.fail('status_500')
    expect((await begin()).url).toMatch(/^https:\/\/saml\.idp\.example\/sso\?/)
    clock.advance(4 * 3_600_000 + 1)
    await expectFailure(begin())
    idp.fail('malformed')
    await expectFailure(begin())
    idp.clearFaults()
    await begin()
  })

  it('may have several certificates and entities, and must be valid, secure and of this provider', async () => {
    const { idp } = await organisation()
    const xml = await (await idp.fetch(new Request(idp.addresses().metadata))).text()
    const key = /<md:KeyDescriptor.*?<\/md:KeyDescriptor>/s.exec(xml)?.[0] ?? ''
    const many = `<md:EntitiesDescriptor xmlns:md="${METADATA}">${xml.replace(/<\?xml[^>]*\?>/, '').replace(key, key + key)}</md:EntitiesDescriptor>`
    expect(readMetadata(many, IDP, 0).certificates).toEqual([idp.certificate, idp.certificate])
    const wrong = [
      xml.replaceAll('https://saml.idp.example/sso', 'http://saml.idp.example/sso'),
      xml.replaceAll('https://saml.idp.example/sso', 'javascript:alert(1)'),
      xml.replace('<md:EntityDescriptor ', '<md:EntityDescriptor validUntil="2020-01-01T00:00:00Z" '),
      xml.replace(key, ''),
      xml.replaceAll('HTTP-Redirect', 'HTTP-Artifact'),
      `<!DOCTYPE a SYSTEM "file:///etc/passwd">${xml}`,
    ]
    for (const text of wrong) {
      await expectFailure(Promise.resolve().then(() => readMetadata(text, IDP, Date.UTC(2026, 0, 1))))
    }
    await expectFailure(Promise.resolve().then(() => readMetadata(xml, 'https://another.example', 0)))
  })
})
