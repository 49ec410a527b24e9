/** A credential in JSON form, as returned by `createPasskey` and `getPasskey`. */
export type CredentialJson = Readonly<Record<string, unknown>>

/** Options from an API response: `creation_options` or `request_options`. */
export interface CredentialOptions {
  readonly publicKey: Readonly<Record<string, unknown>>
}

/** Options for requesting a passkey. */
export interface GetPasskeyOptions {
  /**
   * `conditional` offers passkeys in the browser's autofill; see `PublicKeyCredential.isConditionalMediationAvailable`.
   */
  readonly mediation?: 'conditional'
  readonly signal?: AbortSignal
}

interface Credentials {
  create(options: object): Promise<unknown>
  get(options: object): Promise<unknown>
}

/**
 * The members of a browser's credential that are used here. (Older browsers and some password managers have no
 * `toJSON`.)
 */
interface BrowserCredential {
  readonly id: string
  readonly rawId: ArrayBuffer
  readonly type: string
  readonly authenticatorAttachment?: string | null
  readonly response: Readonly<Record<string, unknown>> & { getTransports?(): readonly string[] }
  getClientExtensionResults?(): object
}

/**
 * Creates a passkey or security key. Rejects with the browser's errors: `NotAllowedError` if the user cancels,
 * `InvalidStateError` if the device is already registered.
 * @see W3C, "Web Authentication" Level 3, 5.1.3
 */
export async function createPasskey({ publicKey }: CredentialOptions): Promise<CredentialJson> {
  return credentialToJson(await credentials().create({ publicKey: decodeCredentialOptions(publicKey) }))
}

/**
 * Requests a passkey or security key. Rejects with the browser's errors.
 * @see W3C, "Web Authentication" Level 3, 5.1.4
 */
export async function getPasskey(
  { publicKey }: CredentialOptions,
  options: GetPasskeyOptions = {},
): Promise<CredentialJson> {
  return credentialToJson(await credentials().get({ ...options, publicKey: decodeCredentialOptions(publicKey) }))
}

function credentials(): Credentials {
  const { navigator } = globalThis as { readonly navigator?: { readonly credentials?: Credentials } } // exists in pages
  if (navigator?.credentials === undefined) throw new TypeError("This browser or page doesn't support passkeys.")
  return navigator.credentials
}

/** Decodes the binary members, which are base64url in JSON. */
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
  if (!isObject(found)) throw new TypeError("The browser didn't return a passkey.")
  const credential = found as unknown as BrowserCredential // the result of `navigator.credentials` for `publicKey`
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
