import { type ReactNode, useState } from 'react'
import { AddClient, ChangeClient, RemoveClient, RenewSecret } from './clients/client-dialogs.tsx'
import { type ClientAct, ClientTable } from './clients/client-table.tsx'
import { clientTexts } from './clients/texts.ts'
import { ListCard } from './list-card.tsx'
import style from './staff.module.css'
import { StaffPage } from './staff-page.tsx'
import { staffTexts } from './texts.ts'
import { serviceUrl } from '../../api/address.ts'
import type { Answer } from '../../api/call.ts'
import type { OidcClient } from '../../api/gateway-api.ts'
import { type List, useCall } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/texts.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { TextField } from '../../parts/field.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { ListBody } from '../../parts/table.tsx'

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
      <Loaded of={known}>{(answer) => <ClientList answer={answer} wanted={wanted.trim().toLowerCase()} />}</Loaded>
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
