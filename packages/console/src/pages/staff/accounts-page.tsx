import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Account } from '../../api/gateway-api.ts'
import { useChange, useList } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { viewAccount } from '../../api/viewed-account.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, classNames } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Row } from '../../parts/layout.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, ListBody, Table } from '../../parts/table.tsx'
import { Invitations, Invite } from './invitations.tsx'
import { peopleTexts } from './account-texts.ts'
import { accountName, ListCard, OWNER_ACCOUNT, StaffPage, staffTexts, useDialogCallbacks } from './staff-page.tsx'
import style from './staff.module.css'

/** The page of accounts and invitations. */
export const Page = (): ReactNode => (
  <StaffPage tab="people" actions={<Invite />}>
    <Accounts />
    <Invitations />
  </StaffPage>
)

const PAGE = 100

/** The list of accounts. */
export function Accounts(): ReactNode {
  const texts = useTexts(peopleTexts)
  const { search, nothingFound } = useTexts(staffTexts)
  const list = useList('listAccounts', { query: { limit: PAGE } })
  const [wanted, setWanted] = useState('')
  const columns = useColumns()
  const isFound = ({ id, user }: Account): boolean =>
    [id, user?.name, user?.email].some((text) => text?.toLowerCase().includes(wanted.trim().toLowerCase()))
  return (
    <ListCard
      title={texts.accounts}
      lead={texts.accountsLead}
      search={
        <TextField
          label={search}
          type="search"
          value={wanted}
          onChange={setWanted}
          {...(list.hasMore && { hint: texts.searchHint(list.items.length) })}
        />
      }
    >
      <ListBody list={list} empty={<Empty icon="people" title={texts.unclaimed} />}>
        {(accounts) => {
          const found = accounts.filter(isFound)
          return found.length === 0 ? (
            <Empty icon="search" title={nothingFound} />
          ) : (
            <Table label={texts.accounts} columns={columns} rows={found} rowKey={({ id }) => id} />
          )
        }}
      </ListBody>
    </ListCard>
  )
}

function useColumns(): readonly Column<Account>[] {
  const texts = useTexts(peopleTexts)
  return [
    { title: texts.person, cell: (account) => <Person account={account} /> },
    { title: texts.rights, cell: (account) => <Role account={account} /> },
    { title: texts.factors, cell: (account) => <Factors account={account} /> },
    { title: texts.acts, end: true, cell: (account) => <AccountMenu account={account} /> },
  ]
}

function Person({ account }: { readonly account: Account }): ReactNode {
  const texts = useTexts(peopleTexts)
  const { user } = account
  if (user === null) return texts.unclaimed
  const name = accountName(account)
  return (
    <span className={classNames(style['two'], style['person'])}>
      <strong>{name}</strong>
      {user.email !== name && <span className={style['soft']}>{user.email}</span>}
    </span>
  )
}

function Role({ account: { id, user } }: { readonly account: Account }): ReactNode {
  const texts = useTexts(peopleTexts)
  const { me } = useSession()
  const isOwn = id === me.account
  const hint = roleHint({ isUnclaimed: user === null, isOwn, isOwner: id === OWNER_ACCOUNT })
  return (
    <span className={style['two']}>
      <Row>
        {user !== null && (
          <Badge tone={user.staff ? 'accent' : 'neutral'}>{user.staff ? texts.staff : texts.member}</Badge>
        )}
        {id === OWNER_ACCOUNT && <Badge>{texts.owner}</Badge>}
        {isOwn && <Badge>{texts.you}</Badge>}
        {user?.active === false && <Badge tone="bad">{texts.disabled}</Badge>}
      </Row>
      {hint !== null && <span className={style['soft']}>{texts[hint]}</span>}
    </span>
  )
}

/** Returns why an account can't be changed here. */
function roleHint(of: {
  readonly isUnclaimed: boolean
  readonly isOwn: boolean
  readonly isOwner: boolean
}): 'unclaimedHint' | 'youHint' | 'ownerHint' | null {
  if (of.isUnclaimed) return 'unclaimedHint'
  if (of.isOwn) return 'youHint'
  return of.isOwner ? 'ownerHint' : null
}

function Factors({ account: { second_factors: factors } }: { readonly account: Account }): ReactNode {
  const texts = useTexts(peopleTexts)
  const names: Readonly<Record<string, string>> = texts.factorNames
  if (factors.length === 0) return <span className={style['soft']}>{texts.noFactors}</span>
  return (
    <Row>
      {factors.map((factor) => (
        <Badge key={factor} tone="good">
          {names[factor] ?? factor}
        </Badge>
      ))}
    </Row>
  )
}

type Act = 'makeStaff' | 'endStaff' | 'disable' | 'enable' | 'reset'

const CHANGES = {
  makeStaff: { staff: true },
  endStaff: { staff: false },
  disable: { active: false },
  enable: { active: true },
} as const satisfies Record<Exclude<Act, 'reset'>, object>
const HARMLESS: ReadonlySet<Act> = new Set(['makeStaff', 'enable'])

/** The menu of actions on another account. */
export function AccountMenu({ account }: { readonly account: Account }): ReactNode {
  const texts = useTexts(peopleTexts)
  const { actionsLabel } = useTexts(staffTexts)
  const { me } = useSession()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<Act | null>(null)
  const { id, user } = account
  if (id === me.account) return null
  const look = (): void => {
    viewAccount(id)
    void navigate({ to: '/channels' })
  }
  return (
    <>
      <Menu
        trigger={
          <Button kind="quiet" icon small aria-label={actionsLabel(accountName(account))}>
            <Icon name="more" />
          </Button>
        }
      >
        <MenuItem onClick={look}>{texts.look}</MenuItem>
        {user !== null &&
          id !== OWNER_ACCOUNT &&
          listActions(account).map((act) => (
            <MenuItem key={act} danger={!HARMLESS.has(act)} onClick={() => setAsked(act)}>
              {texts[act]}
            </MenuItem>
          ))}
      </Menu>
      {asked !== null && <ConfirmAction account={account} act={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

function listActions({ user, second_factors: factors }: Account): readonly Act[] {
  return [
    user?.staff === true ? 'endStaff' : 'makeStaff',
    ...(factors.length > 0 ? (['reset'] as const) : []),
    user?.active === false ? 'enable' : 'disable',
  ]
}

function ConfirmAction({
  account,
  act,
  onClose,
}: {
  readonly account: Account
  readonly act: Act
  onClose(): void
}): ReactNode {
  const texts = useTexts(peopleTexts)
  const change = useChange('changeAccount', 'listAccounts', 'listInvitations', 'listAudit')
  const reset = useChange('resetAuthenticators', 'listAccounts', 'listAudit')
  const words = texts.ask[act]
  const name = accountName(account)
  const params = { id: account.id }
  const callbacks = useDialogCallbacks(words.done(name), onClose)
  const confirm = (): void => {
    if (act === 'reset') reset.mutate({ params }, callbacks)
    else change.mutate({ params, body: CHANGES[act] }, callbacks)
  }
  return (
    <Confirm
      open
      title={words.title(name)}
      act={words.act}
      danger={!HARMLESS.has(act)}
      busy={change.isPending || reset.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {words.text}
    </Confirm>
  )
}
