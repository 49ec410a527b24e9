import { describePlatform } from '../../contract/platform.contract.ts'
import { weixinHarness } from './weixin.contract.ts'

describePlatform('weixin', weixinHarness)
