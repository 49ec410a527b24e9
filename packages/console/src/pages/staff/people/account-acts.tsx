import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { staffTexts } from '../texts.ts'
import { useDialogCallbacks } from '../told.ts'
import { accountName, OWNER_ACCOUNT } from './person.ts'
import { peopleTexts } from './texts.ts'
import type { Account } from '../../../api/gateway-api.ts'
import { useChange } from '../../../api/queries.ts'
import { useSession } from '../../../api/session.ts'
import { viewAccount } from '../../../api/viewed-account.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Confirm } from '../../../parts/dialog.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Menu, MenuItem } from '../../../parts/menu.tsx'

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
  const { actsOf } = useTexts(staffTexts)
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
          <Button kind="quiet" icon small aria-label={actsOf(accountName(account))}>
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
  const told = useDialogCallbacks(words.done(name), onClose)
  const confirm = (): void => {
    if (act === 'reset') reset.mutate({ params }, told)
    else change.mutate({ params, body: CHANGES[act] }, told)
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
