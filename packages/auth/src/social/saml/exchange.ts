import { isRecord } from '../../kernel/settings/kind.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import { type Exchange, ProviderError, type ProviderIdentity, type TokenReplay } from '../exchange.ts'
import { findChildren, findElements, type XmlElement } from '../wire/xml.ts'
import { type IdentityProvider, loadIdentityProvider } from './identity-provider.ts'
import { authnRequest, messageId, decodePostMessage, redirectUrl } from './messages.ts'
import { ASSERTION, BEARER, FORMAT_EMAIL, FORMAT_TRANSIENT, PROTOCOL, SUCCESS } from './names.ts'
import type { SamlRecord, SamlField } from './record.ts'
import { readSamlSettings, type SamlSettings } from './settings.ts'
import { parseNameId, type SamlSubject } from './subject.ts'
import { samlXml, verifyAssertion } from './verified-assertion.ts'

/**
 * Creates the SAML 2.0 exchange with an organization: requests are sent by redirect, responses arrive as a form at
 * `acs/`. The request's ID is the state. An empty `kept` means a login started by the provider.
 * @see Profiles for SAML 2.0, section 4.1
 */
export function samlExchange(record: SamlRecord): Exchange {
  return {
    async begin(call, start) {
      const settings = readSamlSettings(call.app, call.redirectUri)
      const { ssoUrl } = await loadIdentityProvider(call)
      const id = messageId(call.io.random)
      const message = { id, nowMs: call.io.clock.now(), destination: ssoUrl, settings }
      const xml = authnRequest(message, start.action === 'reauthenticate')
      const signs = settings.signs.authnRequest
      const url = redirectUrl(ssoUrl, { param: 'SAMLRequest', xml, relayState: '', signs }, settings)
      return { url, kept: { request: id }, state: id }
    },
    async finish(call, { params, kept }) {
      const settings = readSamlSettings(call.app, call.redirectUri)
      const inResponseTo = typeof kept['request'] === 'string' ? kept['request'] : null
      if (inResponseTo === null && !settings.unsolicited) {
        throw new ProviderError('unknown', 'SAML: the provider may not begin a login')
      }
      const idp = await loadIdentityProvider(call)
      const expected: ExpectedAssertion = { idp, settings, nowMs: call.io.clock.now(), inResponseTo }
      const xml = decodePostMessage(params.get('SAMLResponse') ?? '')
      checkResponse(samlXml(xml), expected)
      const assertion = await verifyAssertion(xml, idp.certificates, settings)
      return samlIdentity(record, call.app, checkAssertion(assertion, expected))
    },
  }
}

const YES = ['true', '1', 't', 'y', 'yes']

/** Returns the attribute names of a field: from the app, which then maps all fields, or else from the record. */
function resolveAttributeNames(record: SamlRecord, app: SocialApp, field: SamlField): readonly string[] {
  const mapping = app.settings['attribute_mapping']
  const names: unknown = isRecord(mapping) ? mapping[field] : record.attributes[field]
  return (Array.isArray(names) ? names : [names]).filter((name: unknown): name is string => typeof name === 'string')
}

/** Returns the identity in an assertion. @throws {ProviderError} `unknown` without a persistent identifier */
export function samlIdentity(record: SamlRecord, app: SocialApp, assertion: CheckedAssertion): ProviderIdentity {
  const { attributes, subject, replay } = assertion
  const told = (field: SamlField): string =>
    resolveAttributeNames(record, app, field)
      .map((name) => (Object.hasOwn(attributes, name) ? attributes[name]?.[0] : undefined))
      .find((value) => value !== undefined) ?? ''
  const isEmailName = subject.nameIdFormat === FORMAT_EMAIL || app.settings['use_nameid_for_email'] === true
  const email = told('email') || (isEmailName ? subject.nameId : '')
  const lastingName = subject.nameIdFormat === FORMAT_TRANSIENT ? '' : subject.nameId
  const uid = told('uid') || lastingName
  if (uid === '') throw new ProviderError('unknown', 'SAML: neither an attribute nor a lasting name tells who it is')
  const verified = YES.includes(told('email_verified').toLowerCase())
  const phone = told('phone')
  return {
    uid,
    extraData: attributes,
    username: told('username'),
    firstName: told('first_name'),
    lastName: told('last_name'),
    name: told('name'),
    emails: email === '' ? [] : [{ email, verified, primary: true }],
    phone: phone === '' ? null : { phone, verified: false },
    tokens: null,
    replay,
    samlSubject: subject.nameId === '' ? null : subject,
  }
}

/** The contents of a checked assertion. */
export interface CheckedAssertion {
  readonly subject: SamlSubject
  /** All values of each attribute, by its name. */
  readonly attributes: Readonly<Record<string, readonly string[]>>
  readonly replay: TokenReplay
}

/** What an assertion must match. */
export interface ExpectedAssertion {
  readonly idp: IdentityProvider
  readonly settings: SamlSettings
  readonly nowMs: number
  /** ID of our request; `null` if we sent none. */
  readonly inResponseTo: string | null
}

const NAMELESS = { attributes: new Map<string, string>(), text: '' }
/** Tolerance for clock differences. */
const SKEW_MS = 60_000

const samlError = (why: string): ProviderError => new ProviderError('unknown', `SAML: ${why}`)

/**
 * Checks the response around the assertion. It may be unsigned, so it's only used to refuse responses.
 * @throws {ProviderError} `denied`, `unknown`
 */
export function checkResponse(response: XmlElement, { idp, settings, inResponseTo }: ExpectedAssertion): void {
  const { attributes } = response
  if (response.name !== 'Response' || response.namespace !== PROTOCOL || attributes.get('Version') !== '2.0') {
    throw samlError('the message is no response')
  }
  const status = findChildren(response, PROTOCOL, 'Status')[0]
  const codes = status === undefined ? [] : findElements(status, PROTOCOL, 'StatusCode')
  const [code, inner] = codes.map((element) => element.attributes.get('Value') ?? '')
  if (code !== SUCCESS) {
    const isDenied = /:(AuthnFailed|RequestDenied)$/.test(inner ?? '')
    throw new ProviderError(isDenied ? 'denied' : 'unknown', `SAML: the provider answers ${shortStatus(inner ?? code)}`)
  }
  const destination = attributes.get('Destination')
  if (destination !== undefined && destination !== settings.service.acs) throw samlError('it is for another address')
  const issuer = findChildren(response, ASSERTION, 'Issuer')[0]
  if (issuer !== undefined && issuer.text.trim() !== idp.entityId) throw samlError('it is of another provider')
  const answers = attributes.get('InResponseTo') ?? null
  if (answers !== inResponseTo && answers !== null) throw samlError('it answers another request')
}

const shortStatus = (uri = ''): string => /:([A-Za-z]{1,40})$/.exec(uri)?.[1] ?? 'no success'

/**
 * Checks an assertion whose signature was verified.
 * @throws {ProviderError} `unknown`
 * @see Profiles for SAML 2.0, section 4.1.4.3; Core for SAML 2.0, sections 2.3 to 2.7
 */
export function checkAssertion(assertion: XmlElement, expected: ExpectedAssertion): CheckedAssertion {
  const { idp, settings, nowMs } = expected
  const id = assertion.attributes.get('ID') ?? ''
  if (assertion.attributes.get('Version') !== '2.0' || id === '') throw samlError('the assertion has no version or id')
  if (requireOnlyChild(assertion, 'Issuer')?.text.trim() !== idp.entityId)
    throw samlError('the assertion is of another provider')
  const subject = requireOnlyChild(assertion, 'Subject')
  if (subject === undefined) throw samlError('the assertion has no subject')
  const untilMs = findConfirmationExpiry(subject, expected)
  checkConditions(assertion, expected)
  const statements = findChildren(assertion, ASSERTION, 'AuthnStatement')
  if (statements.length === 0) throw samlError('the assertion does not say that anybody signed in')
  for (const { attributes } of statements) requireTime(null, attributes.get('SessionNotOnOrAfter') ?? null, nowMs)
  const nameId = requireOnlyChild(subject, 'NameID')
  if (nameId === undefined && settings.wants.nameId) throw samlError('the assertion has no name')
  return {
    subject: { ...parseNameId(nameId ?? NAMELESS), sessionIndex: statements[0]?.attributes.get('SessionIndex') ?? '' },
    attributes: readAttributeStatements(assertion, settings.wants),
    replay: { issuer: idp.entityId, jti: id, expiresAtMs: untilMs + SKEW_MS },
  }
}

function requireOnlyChild(within: XmlElement, name: string): XmlElement | undefined {
  const [first, ...others] = findChildren(within, ASSERTION, name)
  if (others.length > 0) throw samlError(`the assertion has more than one ${name}`)
  return first
}

/** Returns when the last bearer confirmation for this request and address expires. @throws if there is none */
function findConfirmationExpiry(subject: XmlElement, { settings, nowMs, inResponseTo }: ExpectedAssertion): number {
  const until = findChildren(subject, ASSERTION, 'SubjectConfirmation')
    .filter(({ attributes }) => attributes.get('Method') === BEARER)
    .flatMap((confirmation) => findChildren(confirmation, ASSERTION, 'SubjectConfirmationData'))
    .filter(
      ({ attributes }) =>
        attributes.get('Recipient') === settings.service.acs &&
        (attributes.get('InResponseTo') ?? null) === inResponseTo &&
        isTime(attributes.get('NotBefore') ?? null, attributes.get('NotOnOrAfter') ?? '', nowMs),
    )
    .map(({ attributes }) => Date.parse(attributes.get('NotOnOrAfter') ?? ''))
  if (until.length === 0) throw samlError('the assertion is not for this address, request or time')
  return Math.max(...until)
}

function checkConditions(assertion: XmlElement, { settings, nowMs }: ExpectedAssertion): void {
  const conditions = requireOnlyChild(assertion, 'Conditions')
  const audiences = conditions === undefined ? [] : findChildren(conditions, ASSERTION, 'AudienceRestriction')
  if (conditions === undefined || audiences.length === 0) throw samlError('the assertion is not for anybody')
  const { attributes } = conditions
  requireTime(attributes.get('NotBefore') ?? null, attributes.get('NotOnOrAfter') ?? null, nowMs)
  const isOurs = (restriction: XmlElement): boolean =>
    findChildren(restriction, ASSERTION, 'Audience').some(({ text }) => text.trim() === settings.service.entityId)
  if (!audiences.every(isOurs)) throw samlError('the assertion is for another service')
}

function requireTime(from: string | null, until: string | null, nowMs: number): void {
  if (!isTime(from, until, nowMs)) throw samlError('the assertion is too old or too new')
}

/** Returns whether `nowMs` is in the range. An invalid time parses to `NaN`, which is never in it. */
const isTime = (from: string | null, until: string | null, nowMs: number): boolean =>
  (from === null || Date.parse(from) <= nowMs + SKEW_MS) && (until === null || Date.parse(until) > nowMs - SKEW_MS)

function readAttributeStatements(
  assertion: XmlElement,
  wants: SamlSettings['wants'],
): Readonly<Record<string, readonly string[]>> {
  const statements = findChildren(assertion, ASSERTION, 'AttributeStatement')
  if (statements.length === 0 && wants.attributes) throw samlError('the assertion has no attributes')
  const found = new Map<string, readonly string[]>()
  for (const attribute of statements.flatMap((statement) => findChildren(statement, ASSERTION, 'Attribute'))) {
    const name = attribute.attributes.get('Name') ?? ''
    const before = found.get(name)
    if (before !== undefined && !wants.repeatedAttributes) throw samlError('an attribute stands twice')
    const values = findChildren(attribute, ASSERTION, 'AttributeValue').map(textWithin)
    found.set(name, [...(before ?? []), ...values])
  }
  return Object.fromEntries(found)
}

/** Returns the text of an element and its children. Some providers wrap a value, for example in a `NameID`. */
const textWithin = (element: XmlElement): string => [element.text, ...element.children.map(textWithin)].join('').trim()
