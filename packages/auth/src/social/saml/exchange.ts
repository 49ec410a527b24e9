import { type Exchange, ProviderError } from '../exchange.ts'
import { checkAssertion, checkResponse, type ExpectedAssertion } from './checked-assertion.ts'
import { samlIdentity } from './identity.ts'
import { identityProviderOf } from './identity-provider.ts'
import { authnRequest, messageId } from './messages.ts'
import type { SamlRecord } from './record.ts'
import { decodedPost, redirectUrl } from './redirect-binding.ts'
import { readSamlSettings } from './settings.ts'
import { samlXml, verifiedAssertion } from './verified-assertion.ts'

/**
 * What speaks SAML 2.0 with an organisation: requests go by redirect, answers come as a form to `acs/`. The id of the
 * request is the state; an empty `kept` stands for a login that the provider began.
 * @see Profiles for SAML 2.0, section 4.1
 */
export function samlExchange(record: SamlRecord): Exchange {
  return {
    async begin(call, start) {
      const settings = readSamlSettings(call.app, call.redirectUri)
      const { ssoUrl } = await identityProviderOf(call)
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
      const idp = await identityProviderOf(call)
      const expected: ExpectedAssertion = { idp, settings, nowMs: call.io.clock.now(), inResponseTo }
      const xml = decodedPost(params.get('SAMLResponse') ?? '')
      checkResponse(samlXml(xml), expected)
      const assertion = await verifiedAssertion(xml, idp.certificates, settings)
      return samlIdentity(record, call.app, checkAssertion(assertion, expected))
    },
  }
}
