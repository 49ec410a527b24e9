import { X509Certificate } from 'node:crypto'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import { ProviderError } from '../exchange.ts'
import { DIGESTS, findHash, FORMAT_UNSPECIFIED, type Hash, RSA_SIGNATURES } from './names.ts'

/** Our entity ID and absolute URLs for an organization. */
interface ServiceSide {
  readonly entityId: string
  readonly acs: string
  readonly sls: string
}

/** The parsed `settings` of an app. */
export interface SamlSettings {
  readonly service: ServiceSide
  readonly nameIdFormat: string
  readonly privateKey: string
  /** Our certificates, including the next one. */
  readonly certificates: readonly string[]
  readonly signatureHash: Hash
  readonly digestHash: Hash
  readonly signs: { readonly authnRequest: boolean; readonly logoutRequest: boolean; readonly logoutResponse: boolean }
  readonly metadata: {
    readonly signed: boolean
    readonly validUntil: string
    readonly cacheDuration: string
    readonly contacts: JsonObject
    readonly organization: JsonObject
  }
  readonly wants: {
    readonly signedAssertion: boolean
    readonly signedMessage: boolean
    readonly encryptedAssertion: boolean
    readonly attributes: boolean
    readonly nameId: boolean
    readonly repeatedAttributes: boolean
    readonly soundAlgorithms: boolean
  }
  readonly unsolicited: boolean
  /** Whether the provider is notified of a sign-out here. */
  readonly tellsLogout: boolean
}

const flag = (settings: JsonObject, name: string, otherwise: boolean): boolean =>
  typeof settings[name] === 'boolean' ? settings[name] : otherwise
const readTextSetting = (settings: JsonObject, name: string, otherwise = ''): string =>
  typeof settings[name] === 'string' && settings[name] !== '' ? settings[name] : otherwise
/** Returns a member that is an object, or an empty object. */
export const readObjectSetting = (settings: JsonObject, name: string): JsonObject => {
  const value = settings[name]
  return isRecord(value) ? value : {}
}

/** Returns whether the provider may start a login. */
export const allowsUnsolicited = ({ settings }: Pick<SocialApp, 'settings'>): boolean =>
  !flag(readObjectSetting(settings, 'advanced'), 'reject_idp_initiated_sso', true)

/**
 * Reads the settings of an organization.
 * @param acs URL of its `acs/`, from which the others are derived.
 * @throws {ProviderError} `unknown`, naming what is wrong
 */
export function readSamlSettings(app: Pick<SocialApp, 'settings'>, acs: string): SamlSettings {
  const { settings } = app
  const advanced = readObjectSetting(settings, 'advanced')
  const privateKey = readTextSetting(advanced, 'private_key')
  rejectUnsupportedSettings(advanced)
  const signs = {
    authnRequest: flag(advanced, 'authn_request_signed', false),
    logoutRequest: flag(advanced, 'logout_request_signed', false),
    logoutResponse: flag(advanced, 'logout_response_signed', false),
  }
  const signedMetadata = flag(advanced, 'metadata_signed', false)
  if ((signedMetadata || Object.values(signs).includes(true)) && privateKey === '') {
    throw new ProviderError('unknown', 'SAML: advanced.private_key is needed for signing')
  }
  return {
    service: {
      entityId: readTextSetting(readObjectSetting(settings, 'sp'), 'entity_id', new URL('../metadata/', acs).href),
      acs,
      sls: new URL('../sls/', acs).href,
    },
    nameIdFormat: readTextSetting(advanced, 'name_id_format', FORMAT_UNSPECIFIED),
    privateKey: privateKey === '' ? '' : pemKey(privateKey),
    certificates: [readTextSetting(advanced, 'x509cert'), readTextSetting(advanced, 'x509cert_new')].filter(
      (one) => one !== '',
    ),
    signatureHash: requireSoundHash(advanced, 'signature_algorithm', RSA_SIGNATURES),
    digestHash: requireSoundHash(advanced, 'digest_algorithm', DIGESTS),
    signs,
    metadata: {
      signed: signedMetadata,
      validUntil: readTextSetting(advanced, 'metadata_valid_until'),
      cacheDuration: readTextSetting(advanced, 'metadata_cache_duration'),
      contacts: readObjectSetting(settings, 'contact_person'),
      organization: readObjectSetting(settings, 'organization'),
    },
    wants: parseSignatureRequirements(advanced),
    unsolicited: allowsUnsolicited(app),
    tellsLogout: flag(advanced, 'sp_initiated_slo', true),
  }
}

const parseSignatureRequirements = (advanced: JsonObject): SamlSettings['wants'] => ({
  signedAssertion: flag(advanced, 'want_assertion_signed', false),
  signedMessage: flag(advanced, 'want_message_signed', false),
  encryptedAssertion: flag(advanced, 'want_assertion_encrypted', false),
  attributes: flag(advanced, 'want_attribute_statement', true),
  nameId: flag(advanced, 'want_name_id', false),
  repeatedAttributes: flag(advanced, 'allow_repeat_attribute_name', true),
  soundAlgorithms: flag(advanced, 'reject_deprecated_algorithm', true),
})

/** Refuses settings for encrypted names, which aren't supported, instead of ignoring them. */
function rejectUnsupportedSettings(advanced: JsonObject): void {
  for (const name of ['name_id_encrypted', 'want_name_id_encrypted']) {
    if (flag(advanced, name, false)) throw new ProviderError('unknown', `SAML: advanced.${name} is not supported`)
  }
}

function requireSoundHash(advanced: JsonObject, name: string, table: Readonly<Record<Hash, string>>): Hash {
  const uri = readTextSetting(advanced, name, table.sha256)
  const hash = findHash(table, uri)
  const isSound = hash !== null && (hash !== 'sha1' || !flag(advanced, 'reject_deprecated_algorithm', true))
  if (!isSound) throw new ProviderError('unknown', `SAML: advanced.${name} is unknown or broken`)
  return hash
}

const wrapPem = (base64: string, label: string): string => {
  const lines = base64.match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/** Returns whether a text is PEM. Settings can also have only its base64 body. */
const isPem = (text: string): boolean => text.includes('-----BEGIN ')

const removeWhitespace = (text: string): string => text.replaceAll(/\s/g, '')

/** Returns a certificate as PEM. @throws {ProviderError} `unknown` if it's invalid */
export function pemCertificate(text: string): string {
  try {
    return new X509Certificate(isPem(text) ? text : wrapPem(removeWhitespace(text), 'CERTIFICATE')).toString()
  } catch (cause) {
    throw new ProviderError('unknown', 'SAML: a certificate cannot be read', { cause })
  }
}

/** Returns a private key as PEM. */
const pemKey = (text: string): string => (isPem(text) ? text : wrapPem(removeWhitespace(text), 'PRIVATE KEY'))

/** Returns the base64 body of a certificate in one line, as used in XML. */
export const certificateBase64 = (text: string): string =>
  removeWhitespace(pemCertificate(text).replaceAll(/-----[^-]+-----/g, ''))
