/** A credential of `navigator.credentials` in its JSON form, as `createPasskey` and `getPasskey` return it. */
export type CredentialJson = Readonly<Record<string, unknown>>

/** Options as the API answers them: `creation_options` or `request_options`. */
export interface CredentialOptions {
  readonly publicKey: Readonly<Record<string, unknown>>
}

/** Options for requesting a passkey. */
export interface GetPasskeyOptions {
  /** `conditional`: in the list of what the browser fills in, see `PublicKeyCredential.isConditionalMediationAvailable`. */
  readonly mediation?: 'conditional'
  readonly signal?: AbortSignal
}

interface Credentials {
  create(options: object): Promise<unknown>
  get(options: object): Promise<unknown>
}

/** A credential of a browser, as far as it is read here. (Older browsers and some password managers have no `toJSON`.) */
interface BrowserCredential {
  readonly id: string
  readonly rawId: ArrayBuffer
  readonly type: string
  readonly authenticatorAttachment?: string | null
  readonly response: Readonly<Record<string, unknown>> & { getTransports?(): readonly string[] }
  getClientExtensionResults?(): object
}

/**
 * Makes a passkey or security key. Rejects as the browser does: `NotAllowedError` when the person gives up,
 * `InvalidStateError` when the device is registered already.
 * @see W3C, "Web Authentication" Level 3, 5.1.3
 */
export async function createPasskey({ publicKey }: CredentialOptions): Promise<CredentialJson> {
  return credentialToJson(await credentials().create({ publicKey: decodeCredentialOptions(publicKey) }))
}

/** Asks for a passkey or security key. Rejects as the browser does. @see W3C, "Web Authentication" Level 3, 5.1.4 */
export async function getPasskey(
  { publicKey }: CredentialOptions,
  options: GetPasskeyOptions = {},
): Promise<CredentialJson> {
  return credentialToJson(await credentials().get({ ...options, publicKey: decodeCredentialOptions(publicKey) }))
}

function credentials(): Credentials {
  const { navigator } = globalThis as { readonly navigator?: { readonly credentials?: Credentials } } // of a page
  if (navigator?.credentials === undefined) throw new TypeError('This browser or page has no passkeys.')
  return navigator.credentials
}

/** The members that are bytes, which JSON has as base64url. */
function decodeCredentialOptions(options: CredentialOptions['publicKey']): object {
  const { challenge, user, allowCredentials, excludeCredentials } = options
  return {
    ...options,
    challenge: decodeBase64url(challenge),
    ...(isObject(user) && { user: { ...user, id: decodeBase64url(user['id']) } }),
    ...(Array.isArray(allowCredentials) && { allowCredentials: allowCredentials.map(decodeDescriptor) }),
    ...(Array.isArray(excludeCredentials) && { excludeCredentials: excludeCredentials.map(decodeDescriptor) }),
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const decodeDescriptor = (descriptor: unknown): unknown =>
  isObject(descriptor) ? { ...descriptor, id: decodeBase64url(descriptor['id']) } : descriptor

const decodeBase64url = (text: unknown): Uint8Array =>
  Uint8Array.from(atob(String(text).replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))

function credentialToJson(found: unknown): CredentialJson {
  if (!isObject(found)) throw new TypeError('The browser gave no passkey.')
  const credential = found as unknown as BrowserCredential // what `navigator.credentials` makes of `publicKey`
  const { id, rawId, type, authenticatorAttachment, response } = credential
  return {
    id,
    rawId: encodeBase64url(rawId),
    type,
    ...(authenticatorAttachment && { authenticatorAttachment }),
    response: {
      ...encodeByteMembers(response),
      ...(response.getTransports !== undefined && { transports: response.getTransports() }),
    },
    clientExtensionResults: credential.getClientExtensionResults?.() ?? {},
  }
}

const MEMBERS = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'] as const

const encodeByteMembers = (response: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    MEMBERS.flatMap((name) => {
      const value = response[name]
      return value instanceof ArrayBuffer ? [[name, encodeBase64url(value)]] : []
    }),
  )

const encodeBase64url = (bytes: ArrayBuffer): string =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
