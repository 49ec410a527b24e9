import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectFailure, IDA } from '../oauth2/testing-handshake.ts'
import { readXml } from '../wire/xml.ts'
import { acceptsUnsolicited, samlInResponseTo } from './saml.ts'
import { ACS, changeResponse, IDP, organisation, SP } from './testing-organisation.ts'

const SECOND = '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_x" Version="2.0"/>'
const SUBJECT_ID = 'urn:oasis:names:tc:SAML:attribute:subject-id'

describe('a sign-in', () => {
  it('requests the provider by redirect, and reads the identity from the signed assertion', async () => {
    const { begin, visit, finish, clock } = await organisation()
    const { url, kept, state } = await begin()
    const packed = new URL(url).searchParams.get('SAMLRequest') ?? ''
    const request = readXml(inflateRawSync(Buffer.from(packed, 'base64')).toString())
    expect([request.name, Object.fromEntries(request.attributes)]).toEqual([
      'AuthnRequest',
      {
        ID: state,
        Version: '2.0',
        IssueInstant: new Date(clock.now()).toISOString(),
        Destination: 'https://saml.idp.example/sso',
        ProtocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
        AssertionConsumerServiceURL: ACS,
      },
    ])
    const params = await visit(url)
    expect(samlInResponseTo(params.get('SAMLResponse') ?? '')).toBe(state)
    const identity = await finish(kept, params)
    expect(identity).toMatchObject({
      uid: IDA.id,
      username: IDA.username,
      firstName: IDA.firstName,
      lastName: IDA.lastName,
      emails: [{ email: IDA.email, verified: true, primary: true }],
      extraData: { [SUBJECT_ID]: [IDA.id], 'urn:oid:2.5.4.4': [IDA.lastName] },
      tokens: null,
      replay: { issuer: IDP, jti: expect.stringMatching(/^_\w+$/) },
    })
    expect(identity.replay?.expiresAtMs).toBeGreaterThan(clock.now())
  })

  it('may force a new one', async () => {
    const { begin } = await organisation()
    const packed = new URL((await begin('reauthenticate')).url).searchParams.get('SAMLRequest') ?? ''
    expect(inflateRawSync(Buffer.from(packed, 'base64')).toString()).toContain(' ForceAuthn="true"')
  })

  it.each(['assertion', 'response', 'both'] as const)('counts with a signature of: %s', async (signs) => {
    const { signIn } = await organisation({ emulator: { signs } })
    expect((await signIn()).uid).toBe(IDA.id)
    const wanted = { want_message_signed: signs !== 'response', want_assertion_signed: signs !== 'assertion' }
    const strict = await organisation({ emulator: { signs }, advanced: wanted })
    if (signs === 'both') expect((await strict.signIn()).uid).toBe(IDA.id)
    else await expectFailure(strict.signIn())
  })

  it("uses the app's attribute names, and an address as name", async () => {
    const attribute_mapping = { uid: 'urn:oid:2.5.4.4', email: ['none', 'urn:oid:2.5.4.42'], name: ['urn:oid:2.5.4.4'] }
    const mapped = await (await organisation({ settings: { attribute_mapping } })).signIn()
    expect(mapped).toMatchObject({
      uid: IDA.lastName,
      name: IDA.lastName,
      username: '',
      emails: [{ email: IDA.firstName }],
    })
    const bare = { attributes: () => ({ other: 'x' }), nameId: 'email' } as const
    const named = await (await organisation({ emulator: bare })).signIn()
    expect(named).toMatchObject({ uid: IDA.email, emails: [{ email: IDA.email, verified: false, primary: true }] })
    const asEmail = { settings: { use_nameid_for_email: true }, emulator: { attributes: () => ({ other: 'x' }) } }
    expect((await (await organisation(asEmail)).signIn()).emails).toMatchObject([{ email: IDA.id }])
  })
})

describe('a response', () => {
  it.each([
    'unsigned',
    'bad_signature',
    'other_key',
    'deprecated_algorithm',
    'wrong_audience',
    'wrong_recipient',
    'wrong_destination',
    'expired',
    'not_yet_valid',
    'wrong_in_response_to',
    'no_in_response_to',
    'other_issuer',
    'wrapped_beside',
    'malformed',
  ] as const)('rejects a response that is: %s', async (fault) => {
    const { idp, begin, visit, finish } = await organisation()
    const { url, kept } = await begin()
    idp.fail(fault)
    await expectFailure(visit(url).then((params) => finish(kept, params)))
  })

  it('returns the signed subject, however it is wrapped', async () => {
    const { idp, begin, visit, finish } = await organisation()
    idp.fail('wrapped_inside')
    const { url, kept } = await begin()
    await expectFailure(visit(url).then((params) => finish(kept, params)))
  })

  it('is of this provider within too', async () => {
    const { idp, begin, visit, finish } = await organisation()
    idp.fail('other_issuer')
    const { url, kept } = await begin()
    const disguised = changeResponse(await visit(url), (xml) => xml.replace('https://another-idp.example', IDP))
    await expectFailure(finish(kept, disguised))
  })

  it('may be a refusal', async () => {
    const { idp, begin, visit, finish } = await organisation()
    idp.fail('denied')
    const { url, kept } = await begin()
    const refused = visit(url).then((params) => finish(kept, params))
    await expect(refused).rejects.toMatchObject({ code: 'denied', message: 'SAML: the provider answers AuthnFailed' })
  })

  it('can use old algorithms only if the app allows it', async () => {
    const { idp, signIn } = await organisation({ advanced: { reject_deprecated_algorithm: false } })
    idp.fail('deprecated_algorithm')
    expect((await signIn()).uid).toBe(IDA.id)
  })

  it('reads a name with a comment as a whole', async () => {
    const { idp, signIn } = await organisation({ emulator: { attributes: () => ({ other: 'x' }) } })
    idp.fail('commented_name')
    expect((await signIn()).uid).toBe(IDA.id)
  })

  it('counts for its request alone, and is not for another organisation', async () => {
    const { begin, visit, finish } = await organisation()
    const [ours, others] = [await begin(), await begin()]
    const params = await visit(others.url)
    await expectFailure(finish(ours.kept, params))
    await expectFailure(finish({}, params))
    const elsewhere = await organisation({ settings: { sp: { entity_id: 'https://site.example/other' } } })
    await expectFailure(elsewhere.finish(others.kept, params))
    expect((await finish(others.kept, params)).uid).toBe(IDA.id)
  })

  it('is refused when it is no plain XML, or too much of it', async () => {
    const { begin, visit, finish } = await organisation()
    const { url, kept } = await begin()
    const good = await visit(url)
    const entity = '<!DOCTYPE r [<!ENTITY who SYSTEM "file:///etc/passwd">]>'
    const changes: readonly ((xml: string) => string)[] = [
      (xml) => `${entity}${xml}`,
      (xml) => `<?xml version="1.0"?>${entity}${xml.replace(IDA.id, '&who;')}`,
      (xml) => xml.replace(IDA.id, '&who;'),
      (xml) => xml.replace('</samlp:Response>', `<!--${'x'.repeat(600_000)}--></samlp:Response>`),
      (xml) => `${'<a>'.repeat(500)}${xml}${'</a>'.repeat(500)}`,
      (xml) => `${xml}${xml}`,
      (xml) => xml.replace('</samlp:Response>', `${SECOND}</samlp:Response>`),
      (xml) => xml.slice(0, -5),
      (xml) => xml.replace('Version="2.0"', 'Version="1.1"'),
      () => '',
    ]
    for (const change of changes) await expectFailure(finish(kept, changeResponse(good, change)))
    await expectFailure(finish(kept, new URLSearchParams({ SAMLResponse: '%%%' })))
    await expectFailure(finish(kept, new URLSearchParams()))
    expect((await finish(kept, good)).uid).toBe(IDA.id)
  })

  it('handles missing attributes, duplicates and transient names as the app is configured', async () => {
    const none = { attributes: () => ({}) }
    await expectFailure((await organisation({ emulator: none })).signIn())
    const relaxed = await organisation({ emulator: none, advanced: { want_attribute_statement: false } })
    expect((await relaxed.signIn()).uid).toBe(IDA.id)
    const { idp, signIn } = await organisation()
    idp.fail('no_uid')
    await expectFailure(signIn())
  })
})

describe('a login that the provider begins', () => {
  it('is accepted only if the app allows it, and never as reply to a request', async () => {
    const closed = await organisation()
    expect(acceptsUnsolicited(closed.call.app)).toBe(false)
    await expectFailure(closed.finish({}, new URLSearchParams({ ...closed.idp.respond(SP) })))
    const open = await organisation({ advanced: { reject_idp_initiated_sso: false } })
    expect(acceptsUnsolicited(open.call.app)).toBe(true)
    const { SAMLResponse } = open.idp.respond(SP, { relayState: '/next/' })
    expect(samlInResponseTo(SAMLResponse)).toBeNull()
    expect((await open.finish({}, new URLSearchParams({ SAMLResponse }))).uid).toBe(IDA.id)
    const { url, kept } = await open.begin()
    const stolen = await open.visit(url)
    await expectFailure(open.finish({}, stolen))
    await expectFailure(
      open.finish(
        {},
        changeResponse(stolen, (xml) => xml.replace(/ InResponseTo="[^"]*"/, '')),
      ),
    )
    await expectFailure(open.finish(kept, new URLSearchParams({ SAMLResponse })))
  })

  it('is read off what is no response without harm', () => {
    for (const text of ['', '%', 'bm90IHhtbA==', Buffer.from('<a/>').toString('base64')])
      expect(samlInResponseTo(text)).toBeNull()
  })
})
