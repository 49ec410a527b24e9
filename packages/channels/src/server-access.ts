import { AddressNotPublic, type PublicNetwork } from '@gatepost/sql'
import type { Credentials } from './bound-platform.ts'
import { OWNER_ACCOUNT } from './channels.ts'
import { ChannelError } from './errors.ts'
import type { PlatformIo } from './platform-io.ts'

/** Decides which servers a channel may connect to, if its credentials name one (`base_url`, `domain`). */
export interface ServerAccess {
  /** Returns the I/O for a channel: a server of its own is only reached at public addresses. The owner may use any. */
  ioFor(accountId: string, credentials: Credentials): PlatformIo
  /** @throws {ChannelError} `server_not_public`. An unknown host is left to the connection. */
  check(accountId: string, credentials: Credentials): Promise<void>
}

/** Creates the access rules. @param network Also reaches the private servers that the operator allows. */
export function createServerAccess(io: PlatformIo, network: PublicNetwork): ServerAccess {
  const guarded: PlatformIo = { ...io, fetch: network.fetch, lookup: network.lookup }
  const findServer = (accountId: string, credentials: Credentials): URL | null =>
    accountId === OWNER_ACCOUNT ? null : credentials.customServer(io)
  return {
    ioFor: (accountId, credentials) => (findServer(accountId, credentials) === null ? io : guarded),
    async check(accountId, credentials) {
      const server = findServer(accountId, credentials)
      if (server === null) return
      await network.resolve(server.hostname).catch((error: unknown) => {
        if (error instanceof AddressNotPublic) throw new ChannelError('server_not_public', { cause: error })
      })
    },
  }
}
