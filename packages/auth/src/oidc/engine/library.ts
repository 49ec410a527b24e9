/** The protocol library: 47 MB, loaded with the first call that needs it, by this file alone. */
export async function openLibrary() {
  const { Provider } = await import('oidc-provider/lib/provider.js')
  const errors = await import('oidc-provider/lib/helpers/errors.js')
  const { base } = await import('oidc-provider/lib/helpers/interaction_policy/index.js')
  const { toFetchResponse, toReqRes } = await import('fetch-to-node')
  return { Provider, errors, basePolicy: base, toFetchResponse, toReqRes }
}

/** What the loaded library has. */
export type Library = Awaited<ReturnType<typeof openLibrary>>
