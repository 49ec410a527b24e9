import type { PublicKeyOptions, SoftwareAuthenticator } from '../../testing/authenticator.ts'

/** `navigator.credentials` of a page that has this authenticator, with bytes where a browser has them. */
export interface BrowserCredentials {
  create(options: { readonly publicKey: object }): Promise<object>
  get(options: { readonly publicKey: object }): Promise<object>
}

export function browserCredentials(device: SoftwareAuthenticator): BrowserCredentials {
  return {
    create: async ({ publicKey }) => credentialToBytes(device.create(optionsToJson(publicKey))),
    get: async ({ publicKey }) => credentialToBytes(device.get(optionsToJson(publicKey))),
  }
}

/** The options in their JSON form: every member of bytes as base64url. */
function optionsToJson(options: object): PublicKeyOptions {
  const text = JSON.stringify(options, (_name, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : value,
  )
  return JSON.parse(text) as PublicKeyOptions // an object, as it was one
}

type Made = ReturnType<SoftwareAuthenticator['create']> | ReturnType<SoftwareAuthenticator['get']>

/** A credential as a browser without `toJSON` gives it. */
function credentialToBytes({ response, clientExtensionResults, ...credential }: Made): object {
  const bytes = Object.entries(response).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[name, base64urlToBuffer(value)] as const] : [],
  )
  return {
    ...credential,
    rawId: base64urlToBuffer(credential.rawId),
    response: {
      ...Object.fromEntries(bytes),
      ...('transports' in response && { getTransports: () => response.transports }),
    },
    getClientExtensionResults: () => clientExtensionResults,
  }
}

const base64urlToBuffer = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'base64url')).buffer
