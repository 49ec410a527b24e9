import { type ReactNode, type SubmitEvent, useState } from 'react'
import { ClientFields } from './client-fields.tsx'
import { toClientBody, type ClientValues, initialClient, lacksRedirect } from './client-values.ts'
import { clientTexts } from './texts.ts'
import { type FieldErrors, findRejectedFields, useFocusOnError } from '../form-errors.ts'
import style from '../staff.module.css'
import { staffTexts } from '../texts.ts'
import type { ApiError } from '../../../api/api-error.ts'
import type { NewOidcClient, OidcClient } from '../../../api/gateway-api.ts'
import { useChange } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { DialogActions } from '../../../parts/dialog.tsx'
import { Failure } from '../../../parts/states.tsx'

const NAMES = ['name', 'redirect_uris', 'post_logout_redirect_uris', 'cors_origins']

interface ClientFormProps {
  /** `null` to register a new one. */
  readonly client: OidcClient | null
  readonly scopes: readonly string[]
  onMade(client: NewOidcClient): void
  onChanged(client: OidcClient): void
  onClose(): void
}

/** The form to register or edit a client. */
export function ClientForm({ client, scopes, onMade, onChanged, onClose }: ClientFormProps): ReactNode {
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
    if (client === null) create.mutate({ body }, { onSuccess: onMade, onError })
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
