"""A pipeline of diffusers with a compiled UNet: one recompile buys all image sizes.

The pipeline calls the UNet once for each denoising step. The project compiles that one part, so
the contract watches. The embeddings of the prompt are made up: no text encoder is needed.
"""

from __future__ import annotations

import pytest
import torch

from pytest_compilecheck import compile_contract

diffusers = pytest.importorskip("diffusers", reason="pip install diffusers")


@pytest.fixture
def pipeline():
    unet = diffusers.UNet2DConditionModel(
        block_out_channels=(8,),
        layers_per_block=1,
        norm_num_groups=4,
        down_block_types=("CrossAttnDownBlock2D",),
        mid_block_type=None,
        up_block_types=("CrossAttnUpBlock2D",),
        cross_attention_dim=16,
        attention_head_dim=4,
    )
    autoencoder = diffusers.AutoencoderKL(
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
    )
    pipeline = diffusers.StableDiffusionPipeline(
        unet=torch.compile(unet, backend="eager"),
        vae=autoencoder,
        scheduler=diffusers.DDIMScheduler(steps_offset=1, clip_sample=False),
        text_encoder=None,
        tokenizer=None,
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


# torch itself: 2 graphs, no break record, 1 recompile, for 18 calls of the UNet. The third image is
# no square, and hits all the same.
@compile_contract(
    watch_only=True,
    allow_recompiles=["automatic_dynamic"],
    max_graphs=2,
    max_graph_launches_per_call=1,
    values={"height": [16, 32, 48], "width": [16, 32, 32]},
)
def test_image_sizes_share_a_unet(pipeline, height, width):
    images = pipeline(
        prompt_embeds=torch.randn(1, 4, 16),
        height=height,
        width=width,
        guidance_scale=1.0,
        num_inference_steps=3,
        output_type="pt",
    ).images
    assert images.shape == (1, 3, height, width)
    assert images.isfinite().all()
