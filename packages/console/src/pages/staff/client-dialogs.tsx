import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { ApiError } from '../../api/client.ts'
import type { NewOidcClient, OidcClient } from '../../api/gateway-api.ts'
import { useCall, useChange } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { Confirm, Dialog, DialogActions } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failure, Loaded } from '../../parts/states.tsx'
import { notify, useNotifyError } from '../../parts/toast.tsx'
import {
  type FieldErrors,
  findRejectedFields,
  OneTimeSecret,
  staffTexts,
  useDialogCallbacks,
  useFocusOnError,
} from './staff-page.tsx'
import style from './staff.module.css'
import { ClientFields, initialClient, lacksRedirect, toClientBody, type ClientValues } from './client-fields.tsx'
import { clientTexts } from './client-texts.ts'

/** Registers a client and shows its secret once. */
export function AddClient(): ReactNode {
  const texts = useTexts(clientTexts)
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<NewOidcClient | null>(null)
  const known = useCall('listClients', {}, { when: isOpen })
  const close = (): void => {
    setOpen(false)
    setCreated(null)
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        <Icon name="plus" /> {texts.add}
      </Button>
      <Dialog
        open={isOpen}
        title={created === null ? texts.addTitle : texts.registered(created.name)}
        lead={created === null ? undefined : created.secret === null ? texts.noSecretLead : texts.secretLead}
        onClose={close}
      >
        {created === null ? (
          <Loaded query={known}>
            {({ scopes }) => (
              <ClientForm client={null} scopes={scopes} onCreated={setCreated} onChanged={close} onClose={close} />
            )}
          </Loaded>
        ) : (
          <NewClientSecret client={created} onDone={close} />
        )}
      </Dialog>
    </>
  )
}

function NewClientSecret({
  client: { id, secret },
  onDone,
}: {
  readonly client: NewOidcClient
  onDone(): void
}): ReactNode {
  const texts = useTexts(clientTexts)
  if (secret === null) return <OneTimeSecret secret={id} copyLabel={texts.copyId} done={texts.done} onDone={onDone} />
  return (
    <OneTimeSecret secret={secret} copyLabel={texts.copySecret} done={texts.done} onDone={onDone}>
      <p className={style['soft']}>{texts.id}</p>
      <span className={style['address']}>
        <code>{id}</code>
        <CopyButton text={id} label={texts.copyId} />
      </span>
    </OneTimeSecret>
  )
}

interface OneClient {
  readonly client: OidcClient
  onClose(): void
}

/** The dialog to edit a client. */
export function ChangeClient({
  client,
  scopes,
  onClose,
}: OneClient & { readonly scopes: readonly string[] }): ReactNode {
  const texts = useTexts(clientTexts)
  const done = ({ name }: OidcClient): void => {
    notify(texts.changed(name))
    onClose()
  }
  return (
    <Dialog open title={texts.changeTitle(client.name)} onClose={onClose}>
      <ClientForm client={client} scopes={scopes} onCreated={onClose} onChanged={done} onClose={onClose} />
    </Dialog>
  )
}

/** Renews a client's secret after confirmation and shows it once. */
export function RenewSecret({ client: { id, name }, onClose }: OneClient): ReactNode {
  const texts = useTexts(clientTexts)
  const notifyError = useNotifyError()
  const renew = useChange('renewClientSecret', 'listClients', 'listAudit')
  const confirm = (): void =>
    renew.mutate(
      { params: { client: id } },
      {
        onError: (error) => {
          notifyError(error)
          onClose()
        },
      },
    )
  if (renew.data !== undefined) {
    return (
      <Dialog open title={texts.secretTitle(name)} lead={texts.secretLead} onClose={onClose}>
        <OneTimeSecret secret={renew.data.secret} copyLabel={texts.copySecret} done={texts.done} onDone={onClose} />
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

/** Removes a client after confirmation. */
export function RemoveClient({ client: { id, name }, onClose }: OneClient): ReactNode {
  const texts = useTexts(clientTexts)
  const callbacks = useDialogCallbacks(texts.removed(name), onClose)
  const remove = useChange('removeClient', 'listClients', 'listAudit')
  return (
    <Confirm
      open
      title={texts.removeTitle(name)}
      act={texts.remove}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ params: { client: id } }, callbacks)}
      onClose={onClose}
    >
      {texts.removeText}
    </Confirm>
  )
}

const NAMES = ['name', 'redirect_uris', 'post_logout_redirect_uris', 'cors_origins']

interface ClientFormProps {
  /** `null` to register a new one. */
  readonly client: OidcClient | null
  readonly scopes: readonly string[]
  onCreated(client: NewOidcClient): void
  onChanged(client: OidcClient): void
  onClose(): void
}

/** The form to register or edit a client. */
function ClientForm({ client, scopes, onCreated, onChanged, onClose }: ClientFormProps): ReactNode {
  const texts = useTexts(clientTexts)
  const { cancel, save, required, notTaken } = useTexts(staffTexts)
  const [values, setValues] = useState<ClientValues>(() => initialClient(client))
  const [errors, setErrors] = useState<FieldErrors>({})
  const form = useFocusOnError(errors)
  const create = useChange('createClient', 'listClients', 'listAudit')
  const change = useChange('changeClient', 'listClients', 'listAudit')
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const wrong = {
      ...(values.name.trim() === '' && { name: required }),
      ...(lacksRedirect(values) && { redirect_uris: texts.redirectNeeded }),
    }
    setErrors(wrong)
    if (Object.keys(wrong).length > 0) return
    const body = toClientBody(values, client)
    const onError = (error: ApiError): void => {
      const refused = findRejectedFields(error, NAMES, notTaken)
      setErrors({ ...refused, ...('redirect_uris' in refused && { redirect_uris: texts.redirectWrong }) })
    }
    if (client === null) create.mutate({ body }, { onSuccess: onCreated, onError })
    else change.mutate({ params: { client: client.id }, body }, { onSuccess: onChanged, onError })
  }
  const error = create.error ?? change.error
  return (
    <form ref={form} className={style['form']} noValidate onSubmit={submit}>
      {error !== null && <Failure error={error} />}
      <ClientFields values={values} errors={errors} scopes={scopes} onChange={setValues} />
      <DialogActions>
        <Button onClick={onClose}>{cancel}</Button>
        <Button kind="primary" type="submit" busy={create.isPending || change.isPending}>
          {client === null ? texts.add : save}
        </Button>
      </DialogActions>
    </form>
  )
}
