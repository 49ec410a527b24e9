import type { ReactNode } from 'react'
import style from '../staff.module.css'
import { socialAppTexts } from './texts.ts'
import { serviceUrl } from '../../../api/address.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/texts.ts'
import { CopyButton } from '../../../parts/copy.tsx'

/** The callback URL of a provider. @param path From the root of the service. */
export function CallbackAddress({ path, name }: { readonly path: string; readonly name: string }): ReactNode {
  const texts = useTexts(socialAppTexts)
  const { service } = useSession()
  const url = service.public_url === null ? serviceUrl(path.slice(1)) : service.public_url.replace(/\/$/, '') + path
  return (
    <span className={style['address']}>
      <code>{url}</code>
      <CopyButton text={url} describe={texts.copyCallback(name)} />
    </span>
  )
}
