import { type ReactNode, useState } from 'react'
import { type Answer, serviceUrl } from '../../api/client.ts'
import type { OidcClient } from '../../api/gateway-api.ts'
import { type List, useCall } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, CopyButton } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Row } from '../../parts/layout.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { ListBody, Table } from '../../parts/table.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { Url } from '../../parts/url.tsx'
import { AddClient, ChangeClient, RemoveClient, RenewSecret } from './client-dialogs.tsx'
import { clientTexts } from './client-texts.ts'
import { ListCard, StaffPage, staffTexts } from './staff-page.tsx'
import style from './staff.module.css'

/** The page of OAuth clients. */
export const Page = (): ReactNode => (
  <StaffPage tab="clients" actions={<AddClient />}>
    <Clients />
  </StaffPage>
)

function Clients(): ReactNode {
  const texts = useTexts(clientTexts)
  const known = useCall('listClients', {})
  const [wanted, setWanted] = useState('')
  return (
    <ListCard
      title={texts.title}
      lead={texts.lead}
      more={<Discovery />}
      search={<TextField label={texts.search} type="search" value={wanted} onChange={setWanted} />}
    >
      <Loaded query={known}>{(answer) => <ClientList answer={answer} wanted={wanted.trim().toLowerCase()} />}</Loaded>
    </ListCard>
  )
}

/** The discovery URL. @see OpenID Connect Discovery 1.0, section 4 */
function Discovery(): ReactNode {
  const texts = useTexts(clientTexts)
  const { service } = useSession()
  const path = '.well-known/openid-configuration'
  const url = service.public_url === null ? serviceUrl(path) : `${service.public_url.replace(/\/$/, '')}/${path}`
  return (
    <div className={style['address']}>
      <span className={style['soft']}>{texts.discovery}</span>
      <code>{url}</code>
      <CopyButton text={url} describe={texts.copyDiscovery} />
    </div>
  )
}

const STEP = 50

function ClientList({
  answer,
  wanted,
}: {
  readonly answer: Answer<'listClients'>
  readonly wanted: string
}): ReactNode {
  const texts = useTexts(clientTexts)
  const { nothingFound } = useTexts(staffTexts)
  const [shown, setShown] = useState(STEP)
  const [asked, setAsked] = useState<readonly [act: ClientAct, client: OidcClient] | null>(null)
  const found = answer.clients.filter((one) => `${one.name} ${one.id}`.toLowerCase().includes(wanted))
  const list: List<OidcClient> = {
    items: found.slice(0, shown),
    isLoading: false,
    error: null,
    hasMore: found.length > shown,
    isLoadingMore: false,
    more: () => setShown(shown + STEP),
    retry: () => undefined,
  }
  const empty =
    wanted === '' ? (
      <Empty icon="link" title={texts.empty}>
        {texts.emptyHint}
      </Empty>
    ) : (
      <Empty icon="search" title={nothingFound} />
    )
  const close = (): void => setAsked(null)
  return (
    <>
      <ListBody list={list} empty={empty}>
        {(clients) => <ClientTable clients={clients} onAct={(act, client) => setAsked([act, client])} />}
      </ListBody>
      {asked?.[0] === 'change' && <ChangeClient client={asked[1]} scopes={answer.scopes} onClose={close} />}
      {asked?.[0] === 'renew' && <RenewSecret client={asked[1]} onClose={close} />}
      {asked?.[0] === 'remove' && <RemoveClient client={asked[1]} onClose={close} />}
    </>
  )
}

/** Actions on a client. */
export type ClientAct = 'change' | 'renew' | 'remove'

/** The built-in client of the command line. */
const OWN_CLIENT = 'gatepost-cli'

/** The table of clients. */
export function ClientTable({
  clients,
  onAct,
}: {
  readonly clients: readonly OidcClient[]
  onAct(act: ClientAct, client: OidcClient): void
}): ReactNode {
  const texts = useTexts(clientTexts)
  return (
    <Table
      label={texts.title}
      rows={clients}
      rowKey={({ id }) => id}
      columns={[
        { title: texts.name, cell: (client) => <Name client={client} /> },
        { title: texts.type, cell: ({ type }) => texts.types[type] ?? type },
        { title: texts.uses, cell: (client) => <Uses client={client} /> },
        { title: texts.made, cell: ({ created_at: at }) => <RelativeTime at={at} /> },
        {
          title: texts.acts,
          end: true,
          cell: (client) => <ClientMenu client={client} onAct={(act) => onAct(act, client)} />,
        },
      ]}
    />
  )
}

function Name({ client: { id, name } }: { readonly client: OidcClient }): ReactNode {
  const texts = useTexts(clientTexts)
  return (
    <span className={style['two']}>
      <strong>{name}</strong>
      <code className={style['soft']}>{id}</code>
      {id === OWN_CLIENT && <span className={style['soft']}>{texts.builtIn}</span>}
    </span>
  )
}

function Uses({ client }: { readonly client: OidcClient }): ReactNode {
  const texts = useTexts(clientTexts)
  const names: Readonly<Record<string, string | undefined>> = texts.grantNames
  const [first, ...others] = client.redirect_uris
  return (
    <span className={style['two']}>
      <Row>
        {client.grant_types.map((grant) => (
          <Badge key={grant}>{names[grant] ?? grant}</Badge>
        ))}
        {client.skip_consent && <Badge tone="warn">{texts.noConsent}</Badge>}
      </Row>
      {first !== undefined && (
        <span className={style['soft']} title={client.redirect_uris.join('\n')}>
          {others.length === 0 ? <Url>{first}</Url> : texts.addresses(client.redirect_uris.length)}
        </span>
      )}
    </span>
  )
}

function ClientMenu({ client, onAct }: { readonly client: OidcClient; onAct(act: ClientAct): void }): ReactNode {
  const texts = useTexts(clientTexts)
  const { actionsLabel } = useTexts(staffTexts)
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon small aria-label={actionsLabel(client.name)}>
          <Icon name="more" />
        </Button>
      }
    >
      <MenuItem onClick={() => onAct('change')}>{texts.change}</MenuItem>
      {client.type === 'confidential' && <MenuItem onClick={() => onAct('renew')}>{texts.renew}</MenuItem>}
      <MenuItem danger onClick={() => onAct('remove')}>
        {texts.remove}
      </MenuItem>
    </Menu>
  )
}
