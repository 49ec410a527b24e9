import type { ReactNode } from 'react'
import { frameTexts } from './texts.ts'
import { useSession } from '../api/session.ts'
import { useTexts } from '../language/language.ts'
import { ButtonLink } from '../parts/button.tsx'
import { Page } from '../parts/layout.tsx'
import { Failure } from '../parts/states.tsx'

/** The page for unknown paths. */
export function NotFound(): ReactNode {
  const texts = useTexts(frameTexts)
  return (
    <Page title={texts.notFound} lead={texts.notFoundLead}>
      <ToChannels />
    </Page>
  )
}

/** Replaces a page that threw an error. */
export function PageError({ error }: { readonly error: unknown }): ReactNode {
  const texts = useTexts(frameTexts)
  return (
    <Page title={texts.crashed}>
      <Failure error={error} onRetry={() => location.reload()} />
    </Page>
  )
}

/** Shows its children to staff, and an explanation to others. */
export function StaffOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const texts = useTexts(frameTexts)
  const { isStaff } = useSession()
  if (isStaff) return children
  return (
    <Page title={texts.staffOnly} lead={texts.staffOnlyLead}>
      <ToChannels />
    </Page>
  )
}

const ToChannels = (): ReactNode => (
  <div>
    <ButtonLink kind="primary" to="/channels">
      {useTexts(frameTexts).toChannels}
    </ButtonLink>
  </div>
)
