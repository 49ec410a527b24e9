import type { ReactNode } from 'react'
import { clientTexts } from './texts.ts'
import style from '../staff.module.css'
import { staffTexts } from '../texts.ts'
import type { OidcClient } from '../../../api/gateway-api.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Row } from '../../../parts/layout.tsx'
import { Menu, MenuItem } from '../../../parts/menu.tsx'
import { Table } from '../../../parts/table.tsx'
import { RelativeTime } from '../../../parts/time.tsx'

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
  const count = client.redirect_uris.length
  return (
    <span className={style['two']}>
      <Row>
        {client.grant_types.map((grant) => (
          <Badge key={grant}>{names[grant] ?? grant}</Badge>
        ))}
        {client.skip_consent && <Badge tone="warn">{texts.noConsent}</Badge>}
      </Row>
      {count > 0 && (
        <span className={style['soft']} title={client.redirect_uris.join('\n')}>
          {count === 1 ? client.redirect_uris[0] : texts.addresses(count)}
        </span>
      )}
    </span>
  )
}

function ClientMenu({ client, onAct }: { readonly client: OidcClient; onAct(act: ClientAct): void }): ReactNode {
  const texts = useTexts(clientTexts)
  const { actsOf } = useTexts(staffTexts)
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon small aria-label={actsOf(client.name)}>
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
