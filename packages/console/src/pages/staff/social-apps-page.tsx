import { type ReactNode, useState } from 'react'
import { ListCard } from './list-card.tsx'
import { AddProvider, EditProvider, RemoveProvider } from './social-apps/app-dialogs.tsx'
import { AppTable } from './social-apps/app-table.tsx'
import { socialAppTexts } from './social-apps/texts.ts'
import { StaffPage } from './staff-page.tsx'
import type { SocialApp } from '../../api/gateway-api.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Empty, Loaded } from '../../parts/states.tsx'

/** The page of social login providers. */
export const Page = (): ReactNode => (
  <StaffPage tab="socialApps" actions={<AddProvider />}>
    <Apps />
  </StaffPage>
)

type PendingAction = readonly [act: 'change' | 'remove', app: SocialApp]

function Apps(): ReactNode {
  const texts = useTexts(socialAppTexts)
  const apps = useCall('listSocialApps', {})
  const providers = useCall('listProviders', {}).data?.providers
  const [asked, setAsked] = useState<PendingAction | null>(null)
  const nameOf = ({ name, provider }: SocialApp): string =>
    name || (providers?.find(({ id }) => id === provider)?.name ?? provider)
  const close = (): void => setAsked(null)
  return (
    <ListCard title={texts.title} lead={texts.lead}>
      <Loaded of={apps}>
        {({ social_apps: all }) =>
          all.length === 0 ? (
            <Empty icon="key" title={texts.empty}>
              {texts.emptyHint}
            </Empty>
          ) : (
            <AppTable
              apps={all}
              nameOf={nameOf}
              onChange={(app) => setAsked(['change', app])}
              onRemove={(app) => setAsked(['remove', app])}
            />
          )
        }
      </Loaded>
      {asked?.[0] === 'change' && <EditProvider app={asked[1]} name={nameOf(asked[1])} onClose={close} />}
      {asked?.[0] === 'remove' && <RemoveProvider app={asked[1]} name={nameOf(asked[1])} onClose={close} />}
    </ListCard>
  )
}
