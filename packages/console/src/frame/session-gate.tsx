import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { Frame } from './frame.tsx'
import { useCall } from '../api/queries.ts'
import { SessionContext } from '../api/session.ts'
import { Failure, Loading } from '../parts/states.tsx'
import { Page } from '../parts/layout.tsx'
import { ApiError } from '../api/client.ts'

/** Retry interval in ms while the service is unreachable and there is no data to show. */
const AGAIN_MS = 3_000

/** Renders the console if signed in; otherwise the 401 redirects to the sign-in page. */
export function SessionGate(): ReactNode {
  const me = useCall('whoAmI', {}, { againMs: AGAIN_MS })
  const service = useCall('getService', {}, { againMs: AGAIN_MS })
  const session = useMemo(
    () =>
      me.data && service.data
        ? { me: me.data, service: service.data, isStaff: me.data.scopes.includes('admin') }
        : null,
    [me.data, service.data],
  )
  useReloadOnAccountChange(me.data?.account)
  if (session !== null) {
    return (
      <SessionContext value={session}>
        <Frame />
      </SessionContext>
    )
  }
  const error = me.error ?? service.error
  const isLeaving = error instanceof ApiError && error.status === 401
  return (
    <main>
      <Page title="Gatepost">
        {error === null || isLeaving ? (
          <Loading lines={6} />
        ) : (
          <Failure error={error} onRetry={() => location.reload()} />
        )}
      </Page>
    </main>
  )
}

/** Reloads the page after someone signs in to another account in another tab. */
function useReloadOnAccountChange(account: string | undefined): void {
  const first = useRef<string>(undefined)
  useEffect(() => {
    first.current ??= account
    if (account !== undefined && account !== first.current) location.reload()
  }, [account])
}
