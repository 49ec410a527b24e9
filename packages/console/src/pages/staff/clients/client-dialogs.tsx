import { type ReactNode, useState } from 'react'
import { ClientForm } from './client-form.tsx'
import { clientTexts } from './texts.ts'
import { ShownOnce } from '../shown-once.tsx'
import style from '../staff.module.css'
import { useTold } from '../told.ts'
import type { NewOidcClient, OidcClient } from '../../../api/gateway-api.ts'
import { useCall, useChange } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Confirm, Dialog } from '../../../parts/dialog.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { tell, useTellError } from '../../../parts/toast.tsx'

/** Registers a client, and shows its secret once. */
export function AddClient(): ReactNode {
  const texts = useTexts(clientTexts)
  const [isOpen, setOpen] = useState(false)
  const [made, setMade] = useState<NewOidcClient | null>(null)
  const known = useCall('listClients', {}, { when: isOpen })
  const close = (): void => {
    setOpen(false)
    setMade(null)
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        <Icon name="plus" /> {texts.add}
      </Button>
      <Dialog
        open={isOpen}
        title={made === null ? texts.addTitle : texts.registered(made.name)}
        lead={made === null ? undefined : made.secret === null ? texts.noSecretLead : texts.secretLead}
        onClose={close}
      >
        {made === null ? (
          <Loaded of={known}>
            {({ scopes }) => (
              <ClientForm client={null} scopes={scopes} onMade={setMade} onChanged={close} onClose={close} />
            )}
          </Loaded>
        ) : (
          <Made client={made} onDone={close} />
        )}
      </Dialog>
    </>
  )
}

function Made({ client: { id, secret }, onDone }: { readonly client: NewOidcClient; onDone(): void }): ReactNode {
  const texts = useTexts(clientTexts)
  if (secret === null) return <ShownOnce secret={id} copyLabel={texts.copyId} done={texts.done} onDone={onDone} />
  return (
    <ShownOnce secret={secret} copyLabel={texts.copySecret} done={texts.done} onDone={onDone}>
      <p className={style['soft']}>{texts.id}</p>
      <span className={style['address']}>
        <code>{id}</code>
        <Copy text={id} label={texts.copyId} />
      </span>
    </ShownOnce>
  )
}

interface OneClient {
  readonly client: OidcClient
  onClose(): void
}

/** Changes a client. */
export function ChangeClient({
  client,
  scopes,
  onClose,
}: OneClient & { readonly scopes: readonly string[] }): ReactNode {
  const texts = useTexts(clientTexts)
  const done = ({ name }: OidcClient): void => {
    tell(texts.changed(name))
    onClose()
  }
  return (
    <Dialog open title={texts.changeTitle(client.name)} onClose={onClose}>
      <ClientForm client={client} scopes={scopes} onMade={onClose} onChanged={done} onClose={onClose} />
    </Dialog>
  )
}

/** Asks, gives a client another secret, and shows it once. */
export function RenewSecret({ client: { id, name }, onClose }: OneClient): ReactNode {
  const texts = useTexts(clientTexts)
  const tellError = useTellError()
  const renew = useChange('renewClientSecret', 'listClients', 'listAudit')
  const confirm = (): void =>
    renew.mutate(
      { params: { client: id } },
      {
        onError: (error) => {
          tellError(error)
          onClose()
        },
      },
    )
  if (renew.data !== undefined) {
    return (
      <Dialog open title={texts.secretTitle(name)} lead={texts.secretLead} onClose={onClose}>
        <ShownOnce secret={renew.data.secret} copyLabel={texts.copySecret} done={texts.done} onDone={onClose} />
      </Dialog>
    )
  }
  return (
    <Confirm
      open
      title={texts.renewTitle(name)}
      act={texts.renewAct}
      busy={renew.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {texts.renewText}
    </Confirm>
  )
}

/** Asks, and removes a client. */
export function RemoveClient({ client: { id, name }, onClose }: OneClient): ReactNode {
  const texts = useTexts(clientTexts)
  const told = useTold(texts.removed(name), onClose)
  const remove = useChange('removeClient', 'listClients', 'listAudit')
  return (
    <Confirm
      open
      title={texts.removeTitle(name)}
      act={texts.remove}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ params: { client: id } }, told)}
      onClose={onClose}
    >
      {texts.removeText}
    </Confirm>
  )
}
