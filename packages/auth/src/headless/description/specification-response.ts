import type { Core } from '../../core.ts'
import type { AuthRequest } from '../../request.ts'

export async function specificationResponse(core: Core, request: AuthRequest, format: string): Promise<Response> {
  throw new Error(`not there yet ${String([core, request, format].length)}`)
}
