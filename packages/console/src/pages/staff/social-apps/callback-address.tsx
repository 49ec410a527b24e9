import type { ReactNode } from 'react'
import style from '../staff.module.css'
import { socialAppTexts } from './texts.ts'
import { address } from '../../../api/address.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/texts.ts'
import { Copy } from '../../../parts/copy.tsx'

/** Where a provider sends people back to. @param path As the API tells it: from the root of the service. */
export function CallbackAddress({ path, name }: { readonly path: string; readonly name: string }): ReactNode {
  const texts = useTexts(socialAppTexts)
  const { service } = useSession()
  const url = service.public_url === null ? address(path.slice(1)) : service.public_url.replace(/\/$/, '') + path
  return (
    <span className={style['address']}>
      <code>{url}</code>
      <Copy text={url} describe={texts.copyCallback(name)} />
    </span>
  )
}
