import { type ReactNode, useState } from 'react'
import type { SocialApp } from '../../api/gateway-api.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Row } from '../../parts/layout.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { AddProvider, EditProvider, RemoveProvider } from './social-login-dialogs.tsx'
import { CallbackAddress } from './social-login-fields.tsx'
import { socialAppTexts } from './social-login-texts.ts'
import { ListCard, StaffPage, staffTexts } from './staff-page.tsx'
import style from './staff.module.css'

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
  const providerName = ({ name, provider }: SocialApp): string =>
    name || (providers?.find(({ id }) => id === provider)?.name ?? provider)
  const close = (): void => setAsked(null)
  return (
    <ListCard title={texts.title} lead={texts.lead}>
      <Loaded query={apps}>
        {({ social_apps: all }) =>
          all.length === 0 ? (
            <Empty icon="key" title={texts.empty}>
              {texts.emptyHint}
            </Empty>
          ) : (
            <AppTable
              apps={all}
              providerName={providerName}
              onChange={(app) => setAsked(['change', app])}
              onRemove={(app) => setAsked(['remove', app])}
            />
          )
        }
      </Loaded>
      {asked?.[0] === 'change' && <EditProvider app={asked[1]} name={providerName(asked[1])} onClose={close} />}
      {asked?.[0] === 'remove' && <RemoveProvider app={asked[1]} name={providerName(asked[1])} onClose={close} />}
    </ListCard>
  )
}

interface AppTableProps {
  readonly apps: readonly SocialApp[]
  providerName(app: SocialApp): string
  onChange(app: SocialApp): void
  onRemove(app: SocialApp): void
}

/** The table of providers. */
export function AppTable({ apps, providerName, onChange, onRemove }: AppTableProps): ReactNode {
  const texts = useTexts(socialAppTexts)
  return (
    <Table
      label={texts.title}
      rows={apps}
      rowKey={({ id, provider, provider_id: sub, client_id: client }) =>
        `${id ?? 'settings'} ${provider} ${sub} ${client}`
      }
      columns={[
        { title: texts.provider, cell: (app) => <strong>{providerName(app)}</strong> },
        { title: texts.clientId, cell: (app) => <code>{app.client_id}</code> },
        {
          title: texts.callback,
          cell: (app) => <CallbackAddress path={app.callback_path} name={providerName(app)} />,
        },
        { title: texts.state, cell: (app) => <AppStatus app={app} /> },
        {
          title: texts.acts,
          end: true,
          cell: (app) =>
            app.source === 'database' && (
              <AppMenu name={providerName(app)} onChange={() => onChange(app)} onRemove={() => onRemove(app)} />
            ),
        },
      ]}
    />
  )
}

function AppStatus({ app }: { readonly app: SocialApp }): ReactNode {
  const texts = useTexts(socialAppTexts)
  return (
    <span className={style['two']}>
      <Row>
        <Badge tone={app.has_secret ? 'good' : 'neutral'}>{app.has_secret ? texts.hasSecret : texts.noSecret}</Badge>
        {app.settings['hidden'] === true && <Badge>{texts.hidden}</Badge>}
        {app.source === 'settings' && <Badge>{texts.fromSettings}</Badge>}
      </Row>
      {app.source === 'settings' && <span className={style['soft']}>{texts.fromSettingsHint}</span>}
    </span>
  )
}

function AppMenu({
  name,
  onChange,
  onRemove,
}: {
  readonly name: string
  onChange(): void
  onRemove(): void
}): ReactNode {
  const texts = useTexts(socialAppTexts)
  const { actionsLabel } = useTexts(staffTexts)
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon small aria-label={actionsLabel(name)}>
          <Icon name="more" />
        </Button>
      }
    >
      <MenuItem onClick={onChange}>{texts.change}</MenuItem>
      <MenuItem danger onClick={onRemove}>
        {texts.remove}
      </MenuItem>
    </Menu>
  )
}
