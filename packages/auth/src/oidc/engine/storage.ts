import type { Adapter } from 'oidc-provider'
import { isRecord } from '../../kernel/settings/kind.ts'
import { metadataOf } from './client-metadata.ts'
import { grantStorage, tokenStorage } from './token-storage.ts'
import { fromStore, inLibraryTime, toStore } from './library-time.ts'
import { type EngineParts, KINDS } from './parts.ts'
import { endGrant } from './grants.ts'
import { type Refusals, type Storage, visitedClient } from './library-model.ts'
import { currentVisit, type Visit } from './visit.ts'

/** The id under which the library finds the session of the visit. */
export const OUR_SESSION = 'ours'

/** The stores of the library's models, by their names. @see the contract of its adapters in its documentation */
export function libraryStorage(parts: EngineParts, refusals: Refusals): (name: string) => Adapter {
  const by: Readonly<Record<string, () => Storage>> = {
    Client: () => clientStorage(parts),
    Session: () => sessionStorage(parts),
    Interaction: () => interactionStorage(parts),
    AuthorizationCode: () => codeStorage(parts, KINDS.code, refusals),
    DeviceCode: () => codeStorage(parts, KINDS.device, refusals),
    Grant: () => grantStorage(parts),
    AccessToken: () => tokenStorage(parts, 'at', refusals),
    ClientCredentials: () => tokenStorage(parts, 'at', refusals),
    RefreshToken: () => tokenStorage(parts, 'rt', refusals),
  }
  return (name) => complete(name, by[name]?.())
}

/** Fails loudly where the library asks for what no feature that is switched on needs. */
function complete(name: string, storage: Storage | undefined): Adapter {
  const missing = (): Promise<never> => Promise.reject(new Error(`nothing stores ${name} so`))
  return {
    upsert: missing,
    find: missing,
    findByUserCode: missing,
    findByUid: missing,
    consume: missing,
    destroy: missing,
    // All of a grant are ended together: by the model that has tokens.
    revokeByGrantId: () => Promise.resolve(),
    ...storage,
  }
}

const clientStorage = ({ oidc }: EngineParts): Storage => ({
  upsert: () => Promise.reject(new Error('clients are written elsewhere')),
  async find(id) {
    const client = await visitedClient(oidc, id)
    return client === null ? undefined : metadataOf(client)
  },
})

/** Nothing is stored: the library reads our session, and what it writes into its own is forgotten. */
const sessionStorage = ({ oidc }: EngineParts): Storage => ({
  upsert: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  find: (id) => {
    const { who } = currentVisit()
    if (id !== OUR_SESSION || who === null) return Promise.resolve(undefined)
    const { sub, atMs, acr, amr } = who
    const now = Math.floor(Date.now() / 1_000)
    return Promise.resolve({
      jti: OUR_SESSION,
      // Who it is: another person has another session.
      uid: sub,
      kind: 'Session',
      accountId: sub,
      loginTs: Math.floor(inLibraryTime(oidc.kernel, atMs)),
      acr,
      amr: [...amr],
      iat: now,
      exp: now + 3_600,
    })
  },
})

function interactionStorage({ oidc }: EngineParts): Storage {
  const { artifacts, clock, database } = oidc.kernel
  return {
    async upsert(id, payload, expiresIn = 0) {
      const { proof } = currentVisit()
      const stored = { ...toStore(oidc.kernel, { ...payload }), proof }
      const expiresAtMs = clock.now() + expiresIn * 1_000
      await artifacts.put(database.db, KINDS.interaction, id, { payload: stored, expiresAtMs })
    },
    async find(id) {
      const found = await artifacts.get(database.db, KINDS.interaction, id, clock.now())
      if (found === null || !isRecord(found.payload)) return undefined
      return fromStore(oidc.kernel, ofVisitor(currentVisit(), found.payload))
    },
    destroy: (id) => artifacts.remove(database.db, KINDS.interaction, id),
  }
}

/** What somebody else has answered in this browser does not count for who is signed in now. */
function ofVisitor({ who }: Visit, payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { session, result, ...rest } = payload
  const isTheirs = (value: unknown): boolean => !isRecord(value) || value['accountId'] === who?.sub
  const isOwnResult = isRecord(result) && isTheirs(result['login']) && isTheirs(result['consent'])
  return {
    ...rest,
    ...(isRecord(session) && isTheirs(session) && { session }),
    ...(isOwnResult && (who !== null || 'error' in result) && { result }),
  }
}

/** Authorization and device codes: used once, whoever asks at the same time. */
function codeStorage(parts: EngineParts, kind: string, { invalidGrant }: Refusals): Storage {
  const { oidc } = parts
  const { artifacts, clock, database } = oidc.kernel
  const find = async (id: string) => {
    const found = await artifacts.get(database.db, kind, id, clock.now())
    if (found === null || !isRecord(found.payload)) return undefined
    const consumed = found.consumedAtMs === null ? {} : { consumed: Math.floor(found.consumedAtMs / 1_000) }
    return fromStore(oidc.kernel, { ...found.payload, jti: id, ...consumed })
  }
  return {
    find,
    async upsert(id, payload, expiresIn = 0) {
      const { jti: _secret, ...stored } = toStore(oidc.kernel, { ...payload })
      await artifacts.put(database.db, kind, id, { payload: stored, expiresAtMs: clock.now() + expiresIn * 1_000 })
    },
    async consume(id) {
      if (await artifacts.consume(database.db, kind, id, clock.now())) return
      const grantId = (await find(id))?.['grantId']
      if (typeof grantId === 'string') await endGrant(parts, database.db, grantId)
      throw invalidGrant('code already consumed')
    },
    destroy: (id) => artifacts.remove(database.db, kind, id),
  }
}
