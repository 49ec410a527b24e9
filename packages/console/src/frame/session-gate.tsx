import { type ReactNode, useMemo } from 'react'
import { Frame } from './frame.tsx'
import { useCall } from '../api/queries.ts'
import { SessionContext } from '../api/session.ts'
import { Failure, Loading } from '../parts/states.tsx'
import { Page } from '../parts/layout.tsx'
import { ApiError } from '../api/api-error.ts'

/** The console for whoever is signed in; the others are led to the sign-in. */
export function SessionGate(): ReactNode {
  const me = useCall('whoAmI', {})
  const service = useCall('getService', {})
  const session = useMemo(
    () =>
      me.data && service.data
        ? { me: me.data, service: service.data, isStaff: me.data.scopes.includes('admin') }
        : null,
    [me.data, service.data],
  )
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
