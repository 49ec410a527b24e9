import { type ReactNode, useState } from 'react'
import { ListCard } from '../list-card.tsx'
import style from '../staff.module.css'
import { staffTexts } from '../texts.ts'
import { AccountMenu } from './account-acts.tsx'
import { accountName, OWNER_ACCOUNT } from './person.ts'
import { peopleTexts } from './texts.ts'
import type { Account } from '../../../api/gateway-api.ts'
import { useList } from '../../../api/queries.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/texts.ts'
import { classNames } from '../../../parts/class-names.ts'
import { Badge } from '../../../parts/badge.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Row } from '../../../parts/layout.tsx'
import { Empty } from '../../../parts/states.tsx'
import { type Column, ListBody, Table } from '../../../parts/table.tsx'

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
      <ListBody list={list} empty={<Empty icon="people" title={texts.nobody} />}>
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
  if (user === null) return texts.nobody
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
  const hint = roleHint({ isNobody: user === null, isOwn, isOwner: id === OWNER_ACCOUNT })
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
  readonly isNobody: boolean
  readonly isOwn: boolean
  readonly isOwner: boolean
}): 'nobodyHint' | 'youHint' | 'ownerHint' | null {
  if (of.isNobody) return 'nobodyHint'
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
