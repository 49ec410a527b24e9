import type { PublicKeyOptions, SoftwareAuthenticator } from '../../testing/authenticator.ts'

/** `navigator.credentials` of a page that has this authenticator, with bytes where a browser has them. */
export interface BrowserCredentials {
  create(options: { readonly publicKey: object }): Promise<object>
  get(options: { readonly publicKey: object }): Promise<object>
}

export function browserCredentials(device: SoftwareAuthenticator): BrowserCredentials {
  return {
    create: async ({ publicKey }) => inBytes(device.create(inText(publicKey))),
    get: async ({ publicKey }) => inBytes(device.get(inText(publicKey))),
  }
}

/** The options in their JSON form: every member of bytes as base64url. */
function inText(options: object): PublicKeyOptions {
  const text = JSON.stringify(options, (_name, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : value,
  )
  return JSON.parse(text) as PublicKeyOptions // an object, as it was one
}

type Made = ReturnType<SoftwareAuthenticator['create']> | ReturnType<SoftwareAuthenticator['get']>

/** A credential as a browser without `toJSON` gives it. */
function inBytes({ response, clientExtensionResults, ...credential }: Made): object {
  const bytes = Object.entries(response).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[name, bufferOf(value)] as const] : [],
  )
  return {
    ...credential,
    rawId: bufferOf(credential.rawId),
    response: {
      ...Object.fromEntries(bytes),
      ...('transports' in response && { getTransports: () => response.transports }),
    },
    getClientExtensionResults: () => clientExtensionResults,
  }
}

const bufferOf = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'base64url')).buffer
